# Built in three steps: the web pages, the Python environment, and an image that holds nothing else.

FROM python:3.12-slim AS web
WORKDIR /build
COPY requirements/build.txt requirements/
RUN pip install --no-cache-dir --require-hashes -r requirements/build.txt
COPY web/package.json web/package-lock.json web/
RUN cd web && npm ci --include=dev --no-audit --no-fund
COPY web web
# Vite writes to server/static.
RUN mkdir server && cd web && npm run build

FROM python:3.12-slim AS program
WORKDIR /build
COPY requirements/build.txt requirements/runtime.txt requirements/
RUN pip install --no-cache-dir --require-hashes -r requirements/build.txt \
    && python -m venv /opt/wonder \
    && /opt/wonder/bin/pip install --no-cache-dir --require-hashes -r requirements/runtime.txt
COPY pyproject.toml README.md LICENSE ./
COPY domain domain
COPY schema schema
COPY resolvers resolvers
COPY worker worker
COPY server server
COPY --from=web /build/server/static server/static
# The wheel is built with the backend of the lock, then installed into the environment without it.
RUN pip wheel --no-cache-dir --no-deps --no-build-isolation --wheel-dir /tmp/wheels . \
    && /opt/wonder/bin/pip install --no-cache-dir --no-deps --no-index /tmp/wheels/*.whl

FROM python:3.12-slim
# A fixed number, so that the owner of a mounted folder can be set to match.
RUN groupadd --gid 10001 wonder \
    && useradd --uid 10001 --gid wonder --home-dir /data --no-create-home --shell /usr/sbin/nologin wonder \
    && install --directory --owner wonder --group wonder --mode 0700 /data
COPY --from=program /opt/wonder /opt/wonder
ENV PATH=/opt/wonder/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    WONDER_DATA_DIR=/data \
    WONDER_HOST=0.0.0.0 \
    WONDER_PORT=8000
USER wonder
WORKDIR /data
VOLUME /data
EXPOSE 8000
# Asked for by the address it listens on: the server answers under no name but its own and those of WONDER_TRUSTED_HOSTS.
HEALTHCHECK --interval=15s --timeout=3s --start-period=60s --start-interval=1s \
    CMD ["python", "-c", "import os, urllib.request as r; r.urlopen('http://{WONDER_HOST}:{WONDER_PORT}/healthz'.format(**os.environ), timeout=2)"]
STOPSIGNAL SIGTERM
CMD ["wonder", "serve"]
