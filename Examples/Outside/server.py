#!/usr/bin/env python3
"""A small server for the program beside it: takes uploads, gives ranges of a file, asks for Digest.

Prints its port. The file comes slowly until somebody has asked for the rest of it.
"""
import hashlib
import http.server
import re
import time

FILE = bytes(range(256)) * 40_000
ETAG = '"' + hashlib.sha256(FILE).hexdigest()[:16] + '"'
NONCE = "dcd98b7102dd2f0e8b11d0f600bfb0c0"


def digest(text):
    return hashlib.sha256(text.encode()).hexdigest()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, body=b"", **fields):
        self.send_response(status)
        for name, value in fields.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_PUT(self):
        rest = int(self.headers["Content-Length"])
        while rest > 0:
            rest -= len(self.rfile.read(min(rest, 1 << 16)))
        self.answer(201)

    def do_GET(self):
        if self.path == "/file":
            self.give_file()
        elif self.is_proved():
            self.answer(200, b"welcome to the club")
        else:
            self.answer(
                401, WWW_Authenticate=f'Digest realm="club", algorithm=SHA-256, qop="auth", nonce="{NONCE}"')

    def give_file(self):
        wanted = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", ""))
        if wanted and self.headers.get("If-Range") == ETAG:
            start = int(wanted[1])
            content_range = f"bytes {start}-{len(FILE) - 1}/{len(FILE)}"
            self.answer(206, FILE[start:], ETag=ETAG, Content_Range=content_range)
            return
        self.send_response(200)
        self.send_header("ETag", ETAG)
        self.send_header("Accept-Ranges", "bytes")
        self.send_header("Content-Length", str(len(FILE)))
        self.end_headers()
        try:
            for start in range(0, len(FILE), 100_000):
                self.wfile.write(FILE[start:start + 100_000])
                time.sleep(0.05)
        except OSError:
            pass  # the program has seen enough

    def is_proved(self):
        fields = dict(re.findall(r'(\w+)="?([^",]+)"?', self.headers.get("Authorization", "")))
        one = digest("byte:club:club")
        two = digest(f"GET:{self.path}")
        names = ["nonce", "nc", "cnonce", "qop"]
        proof = digest(":".join([one, *(fields.get(name, "") for name in names), two]))
        return fields.get("nonce") == NONCE and fields.get("response") == proof


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_address[1], flush=True)
server.serve_forever()
