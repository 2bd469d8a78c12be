"""A server that speaks the protocol of S3 (moto), each of whose answers comes late.

Usage: s3-server.py PORT MILLISECONDS
"""

import sys
import time

from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import WSGIRequestHandler, run_simple

port, latency = int(sys.argv[1]), float(sys.argv[2]) / 1000
moto = DomainDispatcherApplication(create_backend_app)


def late(environ, start_response):
    time.sleep(latency)
    return moto(environ, start_response)


class Quiet(WSGIRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_request(self, *_):
        pass


run_simple("127.0.0.1", port, late, threaded=True, request_handler=Quiet)
