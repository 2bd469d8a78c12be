"""Puts the files of a folder into the bucket `census` of an S3 server, with the name of the folder as the prefix.

Usage: bucket.py ENDPOINT FOLDER
"""

import sys
import time
from pathlib import Path

import boto3
from botocore.exceptions import EndpointConnectionError

endpoint, folder = sys.argv[1], Path(sys.argv[2])
client = boto3.client("s3", endpoint_url=endpoint)
for attempt in range(150):
    try:
        client.create_bucket(Bucket="census")
        break
    except EndpointConnectionError:
        time.sleep(0.2)
for path in sorted(folder.rglob("*")):
    if path.is_file():
        client.put_object(Bucket="census", Key=f"{folder.name}/{path.relative_to(folder)}", Body=path.read_bytes())
