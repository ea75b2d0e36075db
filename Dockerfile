# The connector as an image: built from this checkout, run as a user without rights.
#
#   docker build -t txsink .
#   docker run -e TXSINK_CONFIG=/etc/txsink.ini -v ./txsink.ini:/etc/txsink.ini:ro txsink run

FROM debian:bookworm-slim AS build
WORKDIR /src
COPY tools/install-packages tools/
RUN tools/install-packages --build
COPY CMakeLists.txt CMakePresets.json ./
COPY cmake cmake
COPY sql sql
COPY include include
COPY src src
RUN cmake --preset release && cmake --build --preset release && \
    DESTDIR=/installed cmake --install build/release --prefix /usr/local --strip

FROM debian:bookworm-slim
RUN apt-get -q update && \
    DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-install-recommends install \
        ca-certificates libboost-program-options1.74.0 libfmt9 libmysqlcppconn7v5 librdkafka1 libsimdjson14 \
        libspdlog1.10 && \
    rm -rf /var/lib/apt/lists/* && \
    useradd --system --uid 999 --user-group --no-create-home --shell /usr/sbin/nologin txsink
COPY --from=build /installed/usr/local/bin/txsink /usr/local/bin/txsink
# By number: Kubernetes' runAsNonRoot cannot tell from a name that it is not root's.
USER 999:999
# Writes nothing. It finds the servers as `run` does when they are named in the environment or in the file that
# TXSINK_CONFIG names; options on the command line of `run` are not seen here.
HEALTHCHECK --interval=30s --timeout=20s --start-period=30s CMD ["txsink", "check"]
ENTRYPOINT ["txsink"]
CMD ["run"]
