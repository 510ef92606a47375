import { expect, test } from '@jest/globals'
import { createApp, listen } from './uws.ts'

test('a port that is in use is refused instead of shared', async () => {
  const [first, second] = [createApp(), createApp()]
  const { port } = await listen(first, '127.0.0.1', 0)
  await expect(listen(second, '127.0.0.1', port)).rejects.toThrow('the port is in use')
  first.close()
})
