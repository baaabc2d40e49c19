/* The program: not yet any subcommand. */
int main(void) {
    return 2;
}
