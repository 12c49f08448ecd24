# The server, as a user without rights; all that it keeps is in the volume /data.
#   docker build -t isolarium . && docker run --rm -p 127.0.0.1:8000:8000 -v isolarium:/data isolarium
ARG PYTHON=3.13
FROM docker.io/library/python:${PYTHON}-slim AS build
WORKDIR /source
COPY pyproject.toml README.md LICENSE constraints.txt ./
COPY src src
RUN python -m venv /opt/isolarium \
 && /opt/isolarium/bin/python -m pip install --no-cache-dir --disable-pip-version-check -c constraints.txt . \
 && /opt/isolarium/bin/isolarium --version

FROM docker.io/library/python:${PYTHON}-slim
RUN useradd --uid 10001 --user-group --home-dir /data --create-home --shell /usr/sbin/nologin isolarium \
 && mkdir -p /data/cache /data/runs && chmod 700 /data/cache && chown -R isolarium:isolarium /data
COPY --from=build /opt/isolarium /opt/isolarium
ENV PATH=/opt/isolarium/bin:$PATH \
    HOME=/data \
    ISOLARIUM_CACHE=/data/cache \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1
USER isolarium
WORKDIR /data
VOLUME /data
EXPOSE 8000
# Workers compile before they answer, which takes a while the first time.
HEALTHCHECK --interval=30s --timeout=5s --start-period=180s --retries=3 \
    CMD ["python", "-c", "from urllib.request import urlopen; urlopen('http://127.0.0.1:8000/api/health', timeout=4)"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["isolarium", "serve", "--host", "0.0.0.0", "--port", "8000", "--no-open", "--runs", "/data/runs"]
