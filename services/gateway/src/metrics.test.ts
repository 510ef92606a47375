import { afterEach, expect, jest, test } from '@jest/globals'

afterEach(() => void jest.restoreAllMocks())

test('a proxy that is not trusted is warned of once, and says what to do', async () => {
  process.env['PARLEY_GENERAL_LOG_LEVEL'] = 'warn'
  const { createMetrics } = await import('./metrics.ts')
  const written = jest.spyOn(process.stdout, 'write').mockReturnValue(true)
  const metrics = createMetrics()
  for (const address of ['10.0.0.1', '10.0.0.2', '10.0.0.1']) metrics.forgottenProxy(address)
  const lines = written.mock.calls.map(([line]) => JSON.parse(String(line)) as unknown)
  expect(lines).toEqual([
    expect.objectContaining({
      level: 'warn',
      address: '10.0.0.1',
      hint: expect.stringContaining('webserver.trusted_proxies'),
    }),
  ])
})
