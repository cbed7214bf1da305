// through - the modern client, carried by the bridge to any server
//
// usage: node through.mjs BRIDGE URL   (the suite adds the URL)
//
// For the suite's client scenarios: the headers it looks at are the bridge's.

import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const [bridge, url] = process.argv.slice(2);
const era = process.env.MCP_CONFORMANCE_PROTOCOL_VERSION;

const client = new Client({ name: 'through', version: '1' }, {
    versionNegotiation: { mode: era === '2026-07-28' ? { pin: era } : 'legacy' },
});
await client.connect(new StdioClientTransport({
    command: bridge,
    args: ['mcp', '--url', url],
    env: { EXECUTOR_API_TOKEN: 'any' },
}));
const has = client.getServerCapabilities() ?? {};
for (const tool of (await client.listTools()).tools) {
    const properties = Object.keys(tool.inputSchema.properties ?? {});
    const values = Object.fromEntries(properties.map((name, i) => [name, i + 2]));
    await client.callTool({ name: tool.name, arguments: values });
}
if (has.resources !== undefined)
    for (const { uri } of (await client.listResources()).resources)
        await client.readResource({ uri });
if (has.prompts !== undefined)
    for (const { name } of (await client.listPrompts()).prompts)
        await client.getPrompt({ name });
await client.close();
