"""A server that speaks the protocol of S3 (moto), and refuses as many requests as the file `refuse` in FOLDER says. Writes its
port to FOLDER/port.

Usage: server.py FOLDER
"""

import sys
import threading
from pathlib import Path

from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import WSGIRequestHandler, make_server

folder = Path(sys.argv[1])
moto = DomainDispatcherApplication(create_backend_app)
lock = threading.Lock()
state = {"first": 0, "count": 0, "status": "", "refused": 0}


def answer(environ, start_response):
    if environ["PATH_INFO"] == "/refused-requests":
        start_response("200 OK", [])
        return [str(state["refused"]).encode()]
    with lock:
        asked = folder / "refuse"
        if asked.exists():
            first, count, state["status"] = asked.read_text().split(" ", 2)
            state["first"], state["count"] = int(first), int(count)
            asked.unlink()
        state["first"] -= 1
        refuses = state["first"] < 0 and state["count"] > 0
        if refuses:
            state["count"] -= 1
            state["refused"] += 1
    if refuses:
        start_response(state["status"], [("Content-Length", "0")])
        return [b""]
    return moto(environ, start_response)


class Quiet(WSGIRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_request(self, *_):
        pass


server = make_server("127.0.0.1", 0, answer, threaded=True, request_handler=Quiet)
(folder / "port.new").write_text(str(server.server_port))
(folder / "port.new").rename(folder / "port")
server.serve_forever()
