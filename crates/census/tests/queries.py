"""Runs the SQL of a page in duckdb, and prints how many rows each query gives.

Usage: queries.py PAGE FOLDER
"""

import os
import re
import sys
from pathlib import Path

import duckdb

queries = re.findall(r"^([^\n]+:)\n\n```sql\n(.*?)```", Path(sys.argv[1]).read_text(), re.MULTILINE | re.DOTALL)
assert len(queries) >= 8, f"only {len(queries)} queries"
os.chdir(sys.argv[2])
for title, query in queries:
    rows = duckdb.sql(query).fetchall()
    print(f"{title} {len(rows)} rows, such as {rows[:1]}"[:150])
