/**
 * Loaded into the functions of the emulator (NODE_OPTIONS): it waits for 50 ms behind each answer whether a
 * function still logs something, and for 5 ms behind a line. So each answer has an empty line.
 */
import { stderr, stdout } from 'node:process';

const write = stdout.write.bind(stdout);

stdout.write = (...answer) => {
  stderr.write('\n');
  return write(...answer);
};
