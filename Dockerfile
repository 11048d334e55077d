# An image of this checkout: `docker build -t hubbub .`; docs/operating.md says how to run it.
# The tests run on this version of Python. To pin the image, give it with its digest:
# --build-arg PYTHON_IMAGE=python:3.11-slim-bookworm@sha256:...
ARG PYTHON_IMAGE=python:3.11-slim-bookworm

FROM ${PYTHON_IMAGE} AS build
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
WORKDIR /build
COPY requirements-build.lock requirements.lock ./
# pip stays in `tools`: what runs has no installer.
RUN python3 -m venv tools \
    && tools/bin/pip install --require-hashes -r requirements-build.lock \
    && python3 -m venv --without-pip /opt/hubbub \
    && tools/bin/pip --python /opt/hubbub/bin/python install \
        --require-hashes --only-binary :all: -r requirements.lock
COPY pyproject.toml README.md LICENSE ./
COPY src src
RUN tools/bin/python -m hatchling build --target wheel \
    && tools/bin/pip --python /opt/hubbub/bin/python install --no-deps --no-index dist/*.whl

FROM ${PYTHON_IMAGE}
LABEL org.opencontainers.image.title="Hubbub" \
      org.opencontainers.image.description="A self-hosted chat backend" \
      org.opencontainers.image.licenses="Apache-2.0"
# The number is fixed, so that it can own a folder of the host.
RUN groupadd --gid 10001 hubbub \
    && useradd --uid 10001 --gid 10001 --home-dir /data --no-create-home \
        --shell /usr/sbin/nologin hubbub \
    && install --directory --owner 10001 --group 10001 --mode 0700 /data
COPY --from=build /opt/hubbub /opt/hubbub
COPY deploy/healthcheck.py /opt/hubbub/healthcheck.py
ENV PATH=/opt/hubbub/bin:$PATH \
    HUBBUB_DATA=/data \
    HUBBUB_HOST=0.0.0.0
USER 10001:10001
VOLUME /data
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=8s --start-period=60s --retries=3 \
    CMD ["python", "-I", "/opt/hubbub/healthcheck.py"]
ENTRYPOINT ["hubbub"]
CMD ["serve"]
