"""urllib3 on threads, as somebody would write it: POST, three tries, and 429 is tried again.

    peer_python.py retry|tenacity URL AT-ONCE CALLS WARM-UP
    peer_python.py waiting CALLS

`retry` leaves the tries to urllib3's Retry, `tenacity` puts them around urllib3. Retry waits 50 ms after its second try and
not after its first; that is how it counts. `waiting` prints the resident memory of a call that waits between two tries by tenacity, each on
a thread as above: rss=N bytes.
"""
import itertools
import json
import os
import re
import sys
import threading
import time

import tenacity
import urllib3


def resident_kb(name):
    with open("/proc/self/status", encoding="ascii") as status:
        return int(re.search(name + r":\s+(\d+)", status.read()).group(1))


class Limited(Exception):
    pass


class Bench:
    def __init__(self, url, at_once, calls, warm_up):
        self.url = url
        self.warm_up = warm_up
        self.ids = iter(range(warm_up + calls))
        self.ended = itertools.count(1)
        self.cpu = self.wall = 0.0
        self.pool = urllib3.PoolManager(maxsize=at_once, block=True)
        self.retry = urllib3.Retry(total=2, backoff_factor=0.025, status_forcelist=[429], allowed_methods=None)

    def post(self, number, retries):
        body = json.dumps({"id": number})
        return self.pool.request("POST", self.url, body=body, headers={"Content-Type": "application/json"}, retries=retries)

    def with_retry(self, number):
        return self.post(number, self.retry)

    @tenacity.retry(stop=tenacity.stop_after_attempt(3), wait=tenacity.wait_fixed(0.05),
                    retry=tenacity.retry_if_exception_type((Limited, urllib3.exceptions.HTTPError)), reraise=True)
    def with_tenacity(self, number):
        answer = self.post(number, False)
        if answer.status == 429:
            raise Limited(answer.data)
        return answer

    def work(self, call):
        for number in self.ids:
            answer = call(number)
            if answer.status != 200:
                sys.exit(f"status {answer.status}: {answer.data}")
            if next(self.ended) == self.warm_up:
                self.cpu = time.process_time()
                self.wall = time.monotonic()

    def run(self, call, at_once):
        threads = [threading.Thread(target=self.work, args=(call,)) for _ in range(at_once)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


def waiting(calls):
    failed = itertools.count(1)
    all_failed = threading.Event()

    @tenacity.retry(stop=tenacity.stop_after_attempt(3), wait=tenacity.wait_fixed(3600))
    def fail(number):
        if next(failed) == calls:
            all_failed.set()
        raise Limited(f"later: {number}")

    before = resident_kb("VmRSS")
    for number in range(calls):
        threading.Thread(target=fail, args=(number,), daemon=True).start()
    all_failed.wait()
    time.sleep(0.2)
    print(f"rss={(resident_kb('VmRSS') - before) * 1024 // calls}", flush=True)
    os._exit(0)


def main():
    if sys.argv[1] == "waiting":
        waiting(int(sys.argv[2]))
    way, url = sys.argv[1:3]
    at_once, calls, warm_up = map(int, sys.argv[3:6])
    idle_kb = resident_kb("VmRSS")
    bench = Bench(url, at_once, calls, warm_up)
    bench.run(bench.with_retry if way == "retry" else bench.with_tenacity, at_once)
    cpu_us = round((time.process_time() - bench.cpu) * 1e6)
    wall_us = round((time.monotonic() - bench.wall) * 1e6)
    print(f"cpu_us={cpu_us} wall_us={wall_us} idle_kb={idle_kb} peak_kb={resident_kb('VmHWM')} own_kb={resident_kb('RssAnon')}")


main()
