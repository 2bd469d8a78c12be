"""A web server with TLS. Arguments: port, folder of files, folder of key.pem and certificate.pem."""

import functools
import http.server
import ssl
import sys

port, files, secrets = int(sys.argv[1]), sys.argv[2], sys.argv[3]
handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=files)
server = http.server.ThreadingHTTPServer(("127.0.0.1", port), handler)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(f"{secrets}/certificate.pem", f"{secrets}/key.pem")
server.socket = context.wrap_socket(server.socket, server_side=True)
server.serve_forever()
