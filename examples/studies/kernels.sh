#!/bin/sh
# Traces of programs that only communicate, for task-mapping-kernels.yaml: sh kernels.sh VEF FOLDER [TASKS...]
#
# Writes FOLDER/KERNEL-TASKS.vef for 32, 64 and 128 tasks, or the given numbers (powers of two from 4). Each iteration of a
# kernel begins with a Barrier:
#   stencil    halo exchange with the four neighbours on a periodic grid, tasks numbered along x first (Irecv, Isend, Waitall)
#   alltoall   one MPI_Alltoall
#   butterfly  Sendrecv with task i xor 1, i xor 2, i xor 4, ...
#   shift      Sendrecv to task i + n / 2 - 1, from task i - n / 2 + 1
#   random     Sendrecv along a random permutation, another one in each iteration
set -eu
export LC_ALL=C
vef=$1
folder=$2
shift 2
mkdir -p "$folder"
for tasks in ${*:-32 64 128}; do
    for kernel in stencil alltoall butterfly shift random; do
        awk -v kernel=$kernel -v n="$tasks" -v bytes=8192 -v iterations=4 '
            # Uniform below `limit`: the minimal standard generator of Park and Miller (1988).
            function draw(limit) { state = state * 16807 % 2147483647; return state % limit }
            function permute(    i, j, swapped) {
                for (i = 0; i < n; i++)
                    to[i] = i
                for (i = n - 1; i > 0; i--) {
                    j = draw(i + 1); swapped = to[i]; to[i] = to[j]; to[j] = swapped
                }
                for (i = 0; i < n; i++)
                    from[to[i]] = i
            }
            function say(task, line) { text[task] = text[task] line "\n" }
            function sendrecv(task, to, from) { say(task, "Sendrecv to=" to " bytes=" bytes " from=" from) }
            function stencil(task,    x, y, k) {
                x = task % width; y = int(task / width)
                near[0] = y * width + (x + 1) % width
                near[1] = y * width + (x + width - 1) % width
                near[2] = (y + 1) % height * width + x
                near[3] = (y + height - 1) % height * width + x
                for (k = 0; k < 4; k++) # what arrives from the neighbour behind went in direction k
                    say(task, "Irecv from=" near[k % 2 ? k - 1 : k + 1] " tag=" k)
                for (k = 0; k < 4; k++)
                    say(task, "Isend to=" near[k] " tag=" k " bytes=" bytes)
                say(task, "Waitall requests=" 8 * it "-" 8 * it + 7)
            }
            BEGIN {
                state = 1
                for (width = 1; width * width < n; width *= 2)
                    ;
                height = n / width
                for (it = 0; it < iterations; it++) {
                    permute()
                    for (i = 0; i < n; i++) {
                        say(i, "Barrier")
                        if (kernel == "stencil")
                            stencil(i)
                        else if (kernel == "alltoall")
                            say(i, "Alltoall bytes=" bytes)
                        else if (kernel == "shift")
                            sendrecv(i, (i + n / 2 - 1) % n, (i + n / 2 + 1) % n)
                        else if (kernel == "random")
                            sendrecv(i, to[i], from[i])
                        else
                            for (bit = 1; bit < n; bit *= 2)
                                sendrecv(i, int(i / bit) % 2 ? i - bit : i + bit, int(i / bit) % 2 ? i - bit : i + bit)
                    }
                }
                print "vef-trace 1\ntasks " n "\napplication \"" kernel "\""
                for (i = 0; i < n; i++)
                    printf "task %d\n%s", i, text[i]
            }' >"$folder/$kernel-$tasks.txt"
        "$vef" assemble "$folder/$kernel-$tasks.txt" --force -o "$folder/$kernel-$tasks.vef" >/dev/null
        rm "$folder/$kernel-$tasks.txt"
    done
done
