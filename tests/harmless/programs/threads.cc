// Threads, exceptions and static objects of C++, beside MPI.
#include <atomic>
#include <cstdio>
#include <cstring>
#include <future>
#include <mpi.h>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

static int errors;
static void check(bool right, const char *what) {
    std::printf("%s: %s\n", what, right ? "right" : "WRONG");
    std::fflush(stdout);
    errors += !right;
}

struct announced {
    const char *name;
    explicit announced(const char *text) : name(text) {
        std::printf("constructed %s\n", name);
    }
    ~announced() {
        int gone = 0;
        MPI_Finalized(&gone);
        std::printf("destroyed %s, MPI has %s\n", name, gone ? "ended" : "not ended");
    }
};
static announced global("a static object");
static thread_local announced *local;

static void throws(void *, void *, int *, MPI_Datatype *) {
    throw std::runtime_error("from a callback");
}

int main(int argc, char **argv) {
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc > 1 && std::strcmp(argv[1], "uncaught") == 0)
        throw std::runtime_error("nobody catches this");
    std::atomic<int> count{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 5; i++)
        threads.emplace_back([&count, i] { count += i; });
    for (auto &thread : threads)
        thread.join();
    check(count == 10, "std::thread");
    std::thread([] {
        announced object("an object of a thread");
        local = &object;
    }).join();
    auto future = std::async(std::launch::async, [] { return 42; });
    check(future.get() == 42, "std::async");
    bool caught = false;
    try {
        std::thread([] {}).join();
        throw std::string("text");
    } catch (const std::string &text) {
        caught = text == "text";
    }
    check(caught, "an exception");
    caught = false;
    try {
        std::async(std::launch::async, []() -> int { throw std::logic_error("in a thread"); }).get();
    } catch (const std::logic_error &error) {
        caught = std::strcmp(error.what(), "in a thread") == 0;
    }
    check(caught, "an exception of a thread");
    if (argc > 1 && std::strcmp(argv[1], "through") == 0) { // an exception that leaves a function that MPI calls
        MPI_Op own;
        int one = 1, sum = 0;
        MPI_Op_create(throws, 1, &own);
        caught = false;
        try {
            MPI_Reduce_local(&one, &sum, 1, MPI_INT, own);
        } catch (const std::runtime_error &) {
            caught = true;
        }
        check(caught, "an exception through MPI_Reduce_local");
    }
    int sum = 0, one = 1;
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    check(sum == size, "a sum");
    MPI_Finalize();
    return errors != 0;
}
