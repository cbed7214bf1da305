// clients - the official TypeScript clients against a running service
//
// usage: node clients.mjs URL BRIDGE use|cancel   (token: EXECUTOR_API_TOKEN)
//
// Each row of WAYS is a client, a transport and an era; each claim is tried in
// every one of them.  Prints `ok mcp WAY: CLAIM` or `not ok ... - why`.
//
// `use` tries all ways at once.  `cancel` tries one after the other, on a
// service that has one place to run code: a cancelled run that goes on is
// noticed because the next one finds no place.

import assert from 'node:assert/strict';

import * as v1 from '@modelcontextprotocol/sdk/client/index.js';
import * as v1http from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import * as v1stdio from '@modelcontextprotocol/sdk/client/stdio.js';
import * as v2 from '@modelcontextprotocol/client';
import * as v2stdio from '@modelcontextprotocol/client/stdio';

const [url, bridge, what] = process.argv.slice(2);
const token = process.env.EXECUTOR_API_TOKEN;

const SLOW = 'n = 0\nwhile True:\n    n += 1';

// --- ways ---------------------------------------------------------------------

function http(library, secret) {
    return new library.StreamableHTTPClientTransport(new URL(url), {
        requestInit: { headers: { Authorization: `Bearer ${secret}` } },
    });
}

function stdio(library, secret) {
    return new library.StdioClientTransport({
        command: bridge,
        args: ['mcp', '--url', url],
        env: { EXECUTOR_API_TOKEN: secret },
        stderr: 'pipe',
    });
}

const MODERN = { mode: { pin: '2026-07-28' } };

// cancels: whether the service learns that a call is no longer wanted.  A
// legacy client on HTTP says so in a message of its own, which a server without
// sessions cannot match with anything.
const WAYS = [
    { name: 'sdk-v1 http legacy', library: v1, over: s => http(v1http, s),
      version: '2025-11-25', cancels: false },
    { name: 'sdk-v1 bridge legacy', library: v1, over: s => stdio(v1stdio, s),
      version: '2025-11-25', cancels: true },
    { name: 'sdk-v2 http legacy', library: v2, over: s => http(v2, s),
      version: '2025-11-25', cancels: false },
    { name: 'sdk-v2 http auto', library: v2, over: s => http(v2, s),
      negotiation: { mode: 'auto' }, version: '2026-07-28', cancels: true },
    { name: 'sdk-v2 http modern', library: v2, over: s => http(v2, s),
      negotiation: MODERN, version: '2026-07-28', cancels: true },
    { name: 'sdk-v2 bridge legacy', library: v2, over: s => stdio(v2stdio, s),
      version: '2025-11-25', cancels: true },
    { name: 'sdk-v2 bridge auto', library: v2, over: s => stdio(v2stdio, s),
      negotiation: { mode: 'auto' }, version: '2026-07-28', cancels: true },
    { name: 'sdk-v2 bridge modern', library: v2, over: s => stdio(v2stdio, s),
      negotiation: MODERN, version: '2026-07-28', cancels: true },
];

async function connect(way, secret = token) {
    const client = new way.library.Client(
        { name: 'glovebox-tests', version: '1' },
        { versionNegotiation: way.negotiation });
    const transport = way.over(secret);
    await client.connect(transport);
    return client;
}

function run(client, code, more = {}, options = undefined) {
    const call = { name: 'run_python', arguments: { code, ...more } };
    return client instanceof v1.Client
        ? client.callTool(call, undefined, options)
        : client.callTool(call, options);
}

// --- claims -------------------------------------------------------------------

const CLAIMS = {
    async 'agrees on the version and knows the server'(client, way) {
        assert.equal(client.getServerVersion()?.title, 'Glovebox');
        assert.match(client.getInstructions(), /run_python/);
        const agreed = client.getNegotiatedProtocolVersion?.();
        if (agreed !== undefined)
            assert.equal(agreed, way.version);
    },

    async 'lists the tools'(client) {
        const { tools } = await client.listTools();
        assert.deepEqual(tools.map(t => t.name),
            ['run_python', 'check_python', 'sandbox_info']);
        for (const tool of tools)
            assert.equal(tool.inputSchema.type, 'object');
    },

    // The client holds structuredContent against the outputSchema itself.
    async 'runs code and gets its value and output'(client) {
        const r = await run(client, 'print("h\u00e9" + input())\n_ = [x * 2]',
            { context: { x: 21 }, stdin: 'llo' });
        assert.equal(r.isError, false);
        assert.equal(r.structuredContent.stdout, 'h\u00e9llo\n');
        assert.deepEqual(r.structuredContent.return_value, [42]);
        assert.deepEqual(JSON.parse(r.content[0].text), r.structuredContent);
    },

    async 'gets errors of programs and of arguments as results'(client) {
        const failed = await run(client, '1 / 0');
        assert.equal(failed.isError, true);
        assert.match(failed.structuredContent.error, /ZeroDivisionError/);
        const refused = await run(client, 'import os');
        assert.equal(refused.isError, true);
        assert.equal(refused.structuredContent.status, 'rejected');
        const wrong = await run(client, 'print(1)', { timeout_s: 'soon' });
        assert.equal(wrong.isError, true);
        assert.match(wrong.content[0].text, /timeout_s/);
        const late = await run(client, SLOW, { timeout_s: 0.5 });
        assert.match(late.structuredContent.status, /timeout|cpu_limit/);
    },

    async 'is told that a tool is unknown'(client) {
        const call = client.callTool({ name: 'run_ruby', arguments: {} });
        await assert.rejects(call, e => e.code === -32602);
    },

    async 'checks code without running it'(client) {
        const r = await client.callTool(
            { name: 'check_python', arguments: { code: 'import os' } });
        assert.equal(r.structuredContent.valid, false);
        assert.equal(r.structuredContent.findings[0].line, 1);
    },

    async 'has many calls under way at once'(client) {
        const calls = Array.from({ length: 8 }, (_, n) => run(client, `_ = ${n}`));
        const values = (await Promise.all(calls))
            .map(r => r.structuredContent.return_value);
        assert.deepEqual(values, [0, 1, 2, 3, 4, 5, 6, 7]);
    },

    async 'is told of the progress of a long run'(client) {
        const seen = [];
        const r = await run(client,
            'print("begun", flush=True)\n' + SLOW, { timeout_s: 3 },
            { onprogress: p => seen.push(p) });
        assert.match(r.structuredContent.status, /timeout|cpu_limit/);
        assert.ok(seen.length > 1, 'no progress');
        for (let i = 1; i < seen.length; i++)
            assert.ok(seen[i].progress > seen[i - 1].progress, 'not rising');
        assert.ok(seen.some(p => /begun/.test(p.message ?? '')),
            `no output in ${JSON.stringify(seen)}`);
    },
};

async function cancelsRun(client) {
    const enough = new AbortController();
    const slow = run(client, SLOW, { timeout_s: 20 }, { signal: enough.signal });
    const ended = assert.rejects(slow);
    await new Promise(resolve => setTimeout(resolve, 500));
    enough.abort('enough');
    await ended;
    const start = Date.now();
    const next = await run(client, '_ = 1', {}, { timeout: 40000 });
    assert.equal(next.structuredContent.return_value, 1);
    assert.ok(Date.now() - start < 10000, 'the run went on');
}

// A client that wants one version and no other says only that it got none.
const REFUSED = /401|[Uu]nauthorized|executor token|did not offer/;

async function refusesWrongToken(way) {
    await assert.rejects(async () => {
        const client = await connect(way, 'not-the-token');
        await client.listTools();
    }, e => REFUSED.test(String(e?.message ?? e)));
}

// --- the table of both --------------------------------------------------------

let failed = 0;

async function attempt(name, promise) {
    try {
        await promise;
        console.log(`ok mcp ${name}`);
    } catch (e) {
        failed++;
        console.log(`not ok mcp ${name} - ${String(e?.message ?? e)
            .replace(/\s+/g, ' ').slice(0, 400)}`);
    }
}

async function use(way) {
    let client;
    await attempt(`${way.name}: connects`,
        connect(way).then(c => { client = c; }));
    if (client === undefined)
        return;
    for (const [claim, check] of Object.entries(CLAIMS))
        await attempt(`${way.name}: ${claim}`, check(client, way));
    await client.close();
    await attempt(`${way.name}: is refused with a wrong token`,
        refusesWrongToken(way));
}

async function cancel(way) {
    const client = await connect(way);
    await attempt(`${way.name}: cancels a run, which frees its place`,
        cancelsRun(client));
    await client.close();
}

if (what === 'use')
    await Promise.all(WAYS.map(use));
else
    for (const way of WAYS.filter(w => w.cancels))
        await cancel(way);
process.exit(failed === 0 ? 0 : 1);
