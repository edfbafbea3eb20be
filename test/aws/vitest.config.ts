import { defineConfig } from 'vitest/config';

/** What needs S3 and DynamoDB at AWS_ENDPOINT_URL: `npm run test:aws` provides them. */
export default defineConfig({
  test: {
    root: '.',
    include: ['test/aws/emulator/**/*.test.ts'],
    pool: 'forks',
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
