import { execFileSync } from 'node:child_process'
import { expect, test } from '@jest/globals'

// In a separate process, because other tests have already created a silent logger here.
const program = `
  import { createMetrics } from './metrics.ts'
  const metrics = createMetrics()
  for (const address of ['10.0.0.1', '10.0.0.2', '10.0.0.1']) metrics.reportUntrustedProxy(address)`

test('several untrusted proxies cause one warning, with instructions', () => {
  const written = execFileSync(process.execPath, ['--no-warnings', '--input-type=module', '--eval', program], {
    cwd: import.meta.dirname,
    env: { ...process.env, PARLEY_GENERAL_LOG_LEVEL: 'warn' },
    encoding: 'utf8',
  })
  const lines = written.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as unknown]))
  expect(lines).toEqual([
    expect.objectContaining({
      level: 'warn',
      address: '10.0.0.1',
      hint: expect.stringContaining('webserver.trusted_proxies'),
    }),
  ])
})
