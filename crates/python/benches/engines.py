"""Files per second of a census by the command, Ray, Daft and Spark, on one manifest: python benches/engines.py FOLDER

Half of the files are in archives. All are links to files of the corpus and, if MESHLENS_REAL names a folder, of that folder, so
that they need no space; they are read once before. MESHLENS_CENSUS names the command. With --s3, the files are in a server of
S3 (moto) on this machine.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq

ROOT = Path(__file__).parents[3]
#: The number of models in an archive.
ENTRIES = 100


def models() -> list[Path]:
    """Models of one file, of at most 1 MB."""
    folders = [ROOT / "corpus", Path(os.environ["MESHLENS_REAL"])] if "MESHLENS_REAL" in os.environ else [ROOT / "corpus"]
    kinds = {".md3", ".u3d", ".mesh", ".glb"}
    found = (path for folder in folders for path in sorted(folder.rglob("*")) if path.suffix.lower() in kinds)
    return [path for path in found if 0 < path.stat().st_size <= 1 << 20]


def make(folder: Path, count: int) -> list[Path]:
    """Makes files, and a manifest of them: half of the models are in archives."""
    chosen, own = random.Random(1), folder / "files"
    shutil.rmtree(own, ignore_errors=True)
    own.mkdir(parents=True)
    sources = models()
    copies = []
    for number, source in enumerate(sources):
        copies.append(own / f".{number}{source.suffix}")
        copies[-1].write_bytes(source.read_bytes())
    archives = []
    for number in range(5):
        archives.append(own / f".{number}.pk3")
        with zipfile.ZipFile(archives[-1], "w", zipfile.ZIP_DEFLATED) as archive:
            for entry, source in enumerate(chosen.choices(sources, k=ENTRIES)):
                archive.write(source, f"models/{entry}{source.suffix}")
    made = [*chosen.choices(copies, k=count // 2), *chosen.choices(archives, k=count // 2 // ENTRIES)]
    chosen.shuffle(made)
    files = []
    for number, source in enumerate(made):
        files.append(own / f"{number:06}{source.suffix}")
        os.link(source, files[-1])
    return files


def manifest(path: Path, uris: list[str], sizes: list[int]) -> str:
    """Writes a manifest."""
    table = pa.table({"uri": uris, "size": sizes, "etag": pa.nulls(len(uris), pa.string())})
    pq.write_table(table, path, row_group_size=1 << 14)
    return str(path)


@contextmanager
def server(files: list[Path]) -> Iterator[list[str]]:
    """The URIs of the files in a server of S3."""
    import boto3

    port = 5123
    process = subprocess.Popen([sys.executable, ROOT / ".ci/s3-server.py", str(port), "0"])
    url = f"http://127.0.0.1:{port}"
    for name, value in (("ENDPOINT_URL", url), ("ACCESS_KEY_ID", "key"), ("SECRET_ACCESS_KEY", "secret"), ("REGION", "us-east-1")):
        os.environ[f"AWS_{name}"] = value
    os.environ["AWS_ALLOW_HTTP"] = "true"
    client = boto3.client("s3", endpoint_url=url)
    while True:
        try:
            client.create_bucket(Bucket="models")
            break
        except Exception:
            time.sleep(0.2)
    try:
        for path in files:
            client.put_object(Bucket="models", Key=path.name, Body=path.read_bytes())
        yield [f"s3://models/{path.name}" for path in files]
    finally:
        process.kill()


def command(cores: int) -> Callable[[str, Path], float]:
    """The command on so many cores."""

    def run(listed: str, out: Path) -> float:
        program = os.environ["MESHLENS_CENSUS"]
        start = time.perf_counter()
        cpus = ",".join(map(str, range(cores)))
        subprocess.run(
            ["taskset", "-c", cpus, program, "census", "--manifest", listed, "-o", out, "-j", str(cores)],
            check=True,
            stderr=subprocess.DEVNULL,
        )
        return time.perf_counter() - start

    return run


def on_ray(listed: str, out: Path) -> float:
    """Ray with two tasks at a time."""
    import ray

    import meshlens.ray

    os.environ["RAY_DATA_DISABLE_PROGRESS_BARS"] = "1"
    ray.init(num_cpus=2, log_to_driver=False, object_store_memory=200 << 20)
    start = time.perf_counter()
    meshlens.ray.census(listed, str(out))
    took = time.perf_counter() - start
    ray.shutdown()
    return took


def on_daft(listed: str, out: Path) -> float:
    """Daft on the threads of one process."""
    import daft

    import meshlens.daft

    start = time.perf_counter()
    meshlens.daft.census(daft.read_parquet(listed).into_batches(2000)).write_parquet(str(out))
    return time.perf_counter() - start


def on_spark(listed: str, out: Path) -> float:
    """Spark with two tasks at a time."""
    from pyspark.sql import SparkSession

    import meshlens.spark

    os.environ["PYSPARK_PYTHON"] = sys.executable
    spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    spark.range(1).count()
    start = time.perf_counter()
    frame = spark.read.parquet(listed)
    parts = max(2, pq.ParquetFile(listed).metadata.num_rows // 2000)
    meshlens.spark.census(frame.repartition(parts)).write.parquet(str(out))
    took = time.perf_counter() - start
    spark.stop()
    return took


ENGINES: dict[str, Callable[[str, Path], float]] = {
    "command, 1 core": command(1),
    "command, 2 cores": command(2),
    "Ray": on_ray,
    "Daft": on_daft,
    "Spark": on_spark,
}


def main() -> None:
    """Prints a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--files", type=int, default=100_000)
    parser.add_argument("--s3", action="store_true")
    parser.add_argument("--engines", nargs="*", choices=list(ENGINES), default=list(ENGINES))
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    files = make(given.folder, given.files)
    sizes = [path.stat().st_size for path in files]
    mean = sum(sizes) / given.files
    print(f"{given.files} models, {len(files)} files, {sum(sizes) / 1e9:.2f} GB, {mean / 1e3:.1f} kB for each model")

    def table(uris: list[str]) -> None:
        listed = manifest(given.folder / "manifest.parquet", uris, sizes)
        for name in given.engines:
            out = given.folder / "out"
            shutil.rmtree(out, ignore_errors=True)
            took = ENGINES[name](listed, out)
            found = ds.dataset(str(out), format="parquet", exclude_invalid_files=True)
            rows, written = found.count_rows(), sum(path.stat().st_size for path in out.glob("*.parquet"))
            print(
                f"| {name:16} | {given.files / took:8.0f} | {took:7.1f} | {rows:7} | {written / rows:6.1f} |", flush=True
            )

    if given.s3:
        with server(files) as uris:
            table(uris)
    else:
        for path in files:
            path.read_bytes()
        table([str(path) for path in files])


if __name__ == "__main__":
    main()
