/* Flows and probes of TCP and UDP for check.sh:
 *
 * - `flow now`: CLOCK_MONOTONIC in s, which all namespaces of a machine share;
 * - `flow receive PORT BEGIN END`: accepts a connection, and prints the bit/s of the payload
 * between two such times;
 * - `flow send ADDRESS PORT END`: sends until then;
 * - `flow trace ADDRESS`: prints the addresses of the routers on the path, one a line;
 * - `flow ping ADDRESS PORT COUNT`: prints the median round trip in us of a byte to `flow echo`;
 * - `flow echo PORT`: returns what it receives, over one connection.
 *
 * Usual programs (iperf3, traceroute) lack the common start and end of several flows. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <linux/errqueue.h>
#include <netinet/ip_icmp.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static void fail(const char *what) {
    fprintf(stderr, "flow: %s: %s\n", what, strerror(errno));
    exit(1);
}

static double now_s(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static struct sockaddr_in address(const char *text, const char *port) {
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(port))};
    if (inet_pton(AF_INET, text, &to.sin_addr) != 1)
        fail(text);
    return to;
}

static int accept_one(const char *port) {
    const struct sockaddr_in here = address("0.0.0.0", port);
    const int listening = socket(AF_INET, SOCK_STREAM, 0), yes = 1;
    setsockopt(listening, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(listening, (const struct sockaddr *)&here, sizeof here) != 0 ||
        listen(listening, 1) != 0)
        fail("listen");
    const int file = accept(listening, NULL, NULL);
    if (file < 0)
        fail("accept");
    return file;
}

static int connect_to(const char *host, const char *port) {
    const struct sockaddr_in to = address(host, port);
    for (int tries = 0; tries < 100; tries++) {
        const int file = socket(AF_INET, SOCK_STREAM, 0), yes = 1;
        setsockopt(file, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
        if (connect(file, (const struct sockaddr *)&to, sizeof to) == 0)
            return file;
        close(file);
        usleep(20000); /* the other side may not listen yet */
    }
    fail("connect");
    return -1;
}

static char buffer[1 << 16];

static void receive_flow(const char *port, double begin, double end) {
    const int file = accept_one(port);
    double bytes = 0, first = 0, last = 0;
    for (ssize_t got; (got = read(file, buffer, sizeof buffer)) > 0;) {
        const double now = now_s();
        if (now >= begin && now <= end) {
            if (first == 0)
                first = now; /* what arrived before counts for the time before */
            else
                bytes += (double)got;
            last = now;
        }
    }
    printf("%.0f\n", last > first ? bytes * 8 / (last - first) : 0);
}

static void send_flow(const char *host, const char *port, double end) {
    const int file = connect_to(host, port);
    while (now_s() < end)
        if (send(file, buffer, sizeof buffer, MSG_NOSIGNAL) < 0)
            break;
    close(file);
}

/* The router that a datagram with this time to live reached; false: its destination, or nothing. */
static int probe(const char *host, int time_to_live, char *router) {
    const struct sockaddr_in to = address(host, "33434");
    const int file = socket(AF_INET, SOCK_DGRAM, 0), yes = 1;
    char space[512];
    setsockopt(file, IPPROTO_IP, IP_TTL, &time_to_live, sizeof time_to_live);
    setsockopt(file, IPPROTO_IP, IP_RECVERR, &yes, sizeof yes);
    sendto(file, "", 1, 0, (const struct sockaddr *)&to, sizeof to);
    poll(&(struct pollfd){.fd = file}, 1, 2000); /* errors are always reported */
    struct msghdr message = {.msg_control = space, .msg_controllen = sizeof space};
    const ssize_t got = recvmsg(file, &message, MSG_ERRQUEUE);
    close(file);
    const struct cmsghdr *part = got < 0 ? NULL : CMSG_FIRSTHDR(&message);
    const struct sock_extended_err *error = part ? (const void *)CMSG_DATA(part) : NULL;
    if (!error || error->ee_type != ICMP_TIME_EXCEEDED)
        return 0;
    const struct sockaddr_in *offender = (const void *)SO_EE_OFFENDER(error);
    return inet_ntop(AF_INET, &offender->sin_addr, router, INET_ADDRSTRLEN) != NULL;
}

static void trace(const char *host) {
    char router[INET_ADDRSTRLEN];
    for (int hops = 1; hops < 64 && probe(host, hops, router); hops++)
        puts(router);
}

static int compare(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void ping(const char *host, const char *port, int count) {
    const int file = connect_to(host, port);
    double *us = calloc((size_t)count, sizeof *us);
    for (int i = 0; i < count; i++) {
        const double begin = now_s();
        if (write(file, "x", 1) != 1 || read(file, buffer, 1) != 1)
            fail("ping");
        us[i] = 1e6 * (now_s() - begin);
        usleep(2000);
    }
    qsort(us, (size_t)count, sizeof *us, compare);
    printf("%.1f\n", us[count / 2]);
    free(us);
}

static void echo(const char *port) {
    const int file = accept_one(port), yes = 1;
    setsockopt(file, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    for (ssize_t got; (got = read(file, buffer, sizeof buffer)) > 0;)
        if (write(file, buffer, (size_t)got) != got)
            fail("echo");
}

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    if (strcmp(what, "now") == 0 && argc == 2)
        printf("%.6f\n", now_s());
    else if (strcmp(what, "receive") == 0 && argc == 5)
        receive_flow(argv[2], atof(argv[3]), atof(argv[4]));
    else if (strcmp(what, "send") == 0 && argc == 5)
        send_flow(argv[2], argv[3], atof(argv[4]));
    else if (strcmp(what, "trace") == 0 && argc == 3)
        trace(argv[2]);
    else if (strcmp(what, "ping") == 0 && argc == 5)
        ping(argv[2], argv[3], atoi(argv[4]));
    else if (strcmp(what, "echo") == 0 && argc == 3)
        echo(argv[2]);
    else
        return fprintf(stderr, "flow: see the head of flow.c\n"), 2;
    return 0;
}
