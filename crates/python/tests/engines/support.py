"""Files, a manifest and an object store for the tests of engines."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import urllib.request
import zipfile
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import boto3
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq

CORPUS = Path(__file__).parents[4] / "corpus"


def files(folder: Path, count: int) -> dict[str, int]:
    """Links to files of the corpus, and an archive of three models in every tenth place: the number of rows of each."""
    models = sorted(path for path in (CORPUS / "md3").glob("*.md3"))[:5]
    archive = folder / "models.pk3"
    with zipfile.ZipFile(archive, "w") as made:
        for model in models[:3]:
            made.write(model, f"models/{model.name}")
    made_files = {}
    for index in range(count):
        source = archive if index % 10 == 9 else models[index % len(models)]
        path = folder / f"{index:05}{source.suffix}"
        os.link(source, path) if source.stat().st_dev == folder.stat().st_dev else path.write_bytes(source.read_bytes())
        made_files[str(path)] = 4 if source is archive else 1
    archive.unlink()
    return made_files


def manifest(path: Path, uris: list[str]) -> str:
    """A manifest of Parquet with several row groups."""
    table = pa.table({"uri": uris, "size": pa.nulls(len(uris), pa.int64()), "etag": pa.nulls(len(uris), pa.string())})
    pq.write_table(table, path, row_group_size=700)
    return str(path)


def is_whole(out: Path, expected: dict[str, int]) -> None:
    """Checks that each file of the manifest has its rows, and no row is there twice."""
    names = [entry.name for entry in out.iterdir()]
    assert "_SUCCESS" in names and not [name for name in names if name.endswith(".tmp")]
    table = ds.dataset(str(out), format="parquet").to_table(columns=["uri", "entry", "status"])
    assert Counter(table["uri"].to_pylist()) == expected
    assert set(table["status"].to_pylist()) == {"ok"}


class Store:
    """A server of S3 (moto) that can refuse requests."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.process = subprocess.Popen([sys.executable, Path(__file__).with_name("server.py"), folder])
        port = folder / "port"
        while not port.exists():
            assert self.process.poll() is None, "the server ended"
            time.sleep(0.05)
        self.url = f"http://127.0.0.1:{port.read_text()}"

    def put(self, files: Iterable[str]) -> list[str]:
        """Puts files into the bucket `models`, and returns their URIs."""
        client = boto3.client("s3", endpoint_url=self.url)
        client.create_bucket(Bucket="models")
        for path in files:
            client.upload_file(path, "models", Path(path).name)
        return [f"s3://models/{Path(path).name}" for path in files]

    def refuse(self, first: int, count: int, status: str = "503 Slow Down") -> None:
        """From the given number of further requests on, answers so many with a status."""
        (self.folder / "refuse.new").write_text(f"{first} {count} {status}")
        (self.folder / "refuse.new").rename(self.folder / "refuse")

    def refused(self) -> int:
        """The number of requests that were refused."""
        return int(urllib.request.urlopen(f"{self.url}/refused-requests").read())

    def user(self) -> tuple[str, str]:
        """The access key of a user who may read every object, and its secret."""
        client = boto3.client("iam", endpoint_url=self.url, region_name="us-east-1")
        client.create_user(UserName="reader")
        rule = {"Effect": "Allow", "Action": "s3:*", "Resource": "*"}
        document = json.dumps({"Version": "2012-10-17", "Statement": rule})
        client.put_user_policy(UserName="reader", PolicyName="read", PolicyDocument=document)
        found = client.create_access_key(UserName="reader")["AccessKey"]
        return found["AccessKeyId"], found["SecretAccessKey"]

    def check_credentials(self) -> None:
        """Refuses every request from now on, as S3 does: nobody has an access key."""
        url, kind = f"{self.url}/moto-api/reset-auth", {"Content-Type": "text/plain"}
        urllib.request.urlopen(urllib.request.Request(url, b"0", kind)).close()
