#!/bin/bash -eu
exec "$SRC/meshlens/.clusterfuzzlite/build.sh"
