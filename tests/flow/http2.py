"""http2 - just enough of HTTP/2 to send what an honest client would not

Frames by hand over TLS: a header block of literals, no compression, a window
that is never full.  Of an answer the status and the body are read.
"""

import socket
import ssl
import struct

from harness import Service

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

DATA, HEADERS, RST_STREAM, SETTINGS = 0, 1, 3, 4
GOAWAY, WINDOW_UPDATE, CONTINUATION = 7, 8, 9

END_STREAM, END_HEADERS = 1, 4

# Statuses that have a number of their own in the static table.
INDEXED = {0x88: 200, 0x89: 204, 0x8a: 206, 0x8b: 304, 0x8c: 400, 0x8d: 404,
           0x8e: 500}


def integer(number):
    """A length, with a prefix of seven bits."""
    if number < 127:
        return bytes([number])
    out, number = [127], number - 127
    while number >= 128:
        out.append(number % 128 + 128)
        number //= 128
    return bytes([*out, number])


def literal(text):
    data = text if isinstance(text, bytes) else text.encode("latin-1")
    return integer(len(data)) + data


def block(fields):
    """Each field a literal that is never indexed, its name as well."""
    return b"".join(b"\x10" + literal(n) + literal(v) for n, v in fields)


def status_of(payload):
    """nginx writes the status first, as a number or as three raw digits."""
    while payload[:1] and payload[0] & 0xe0 == 0x20:  # size of its table
        payload = payload[1:]
    if payload[0] in INDEXED:
        return INDEXED[payload[0]]
    if payload[:2] not in (b"\x48\x03", b"\x08\x03"):
        raise ValueError(f"no status: {payload[:8]!r}")
    return int(payload[2:5])


class Http2:
    """One connection.  Streams are the caller's business."""

    def __init__(self, port, source="127.0.0.1", seconds=20.0):
        context = Service.tls()
        context.set_alpn_protocols(["h2"])
        plain = socket.create_connection(("127.0.0.1", port), seconds,
                                         source_address=(source, 0))
        self.socket = context.wrap_socket(plain)
        self.protocol = self.socket.selected_alpn_protocol()
        self.rest = b""
        self.socket.sendall(
            PREFACE + self.frame(SETTINGS, 0, 0)
            + self.frame(WINDOW_UPDATE, 0, 0, struct.pack(">I", 1 << 30)))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    @staticmethod
    def frame(kind, flags, stream, payload=b""):
        return struct.pack(">I", len(payload))[1:] + struct.pack(
            ">BBI", kind, flags, stream) + payload

    def headers(self, stream, fields, flags=END_STREAM | END_HEADERS):
        return self.frame(HEADERS, flags, stream, block(fields))

    def reset(self, stream):
        return self.frame(RST_STREAM, 0, stream, struct.pack(">I", 8))

    def send(self, *frames):
        self.socket.sendall(b"".join(frames))

    def _bytes(self, count):
        while len(self.rest) < count:
            part = self.socket.recv(65536)
            if not part:
                raise ConnectionError("closed")
            self.rest += part
        out, self.rest = self.rest[:count], self.rest[count:]
        return out

    def read(self):
        """The next frame: kind, flags, stream, payload."""
        head = self._bytes(9)
        length = int.from_bytes(head[:3], "big")
        kind, flags, stream = struct.unpack(">BBI", head[3:])
        return kind, flags, stream & 0x7fffffff, self._bytes(length)

    def answer(self, stream):
        """Status and body of a stream; the kind of frame that ended it, if it
        was not answered: RST_STREAM, GOAWAY, or None for a connection that was
        closed."""
        status, body = 0, b""
        while True:
            try:
                kind, flags, at, payload = self.read()
            except (ConnectionError, ssl.SSLError, TimeoutError):
                return None, b""
            if kind == GOAWAY or (kind == RST_STREAM and at == stream):
                return {GOAWAY: "goaway", RST_STREAM: "reset"}[kind], b""
            if at != stream:
                continue
            if kind == HEADERS:
                status = status_of(payload)
            elif kind == DATA:
                body += payload
            if flags & END_STREAM:
                return status, body

    def ask(self, stream, fields, body=None):
        """Send a request and wait for its answer."""
        if body is None:
            self.send(self.headers(stream, fields))
        else:
            self.send(self.headers(stream, fields, END_HEADERS),
                      self.frame(DATA, END_STREAM, stream, body))
        return self.answer(stream)


def request(method, path, authority="localhost", more=()):
    return [(":method", method), (":scheme", "https"), (":path", path),
            (":authority", authority), *more]
