import { expect, test } from '@jest/globals'
import { createReadSemaphore } from './reads.ts'

test('reads of long lists leave three of ten connections to writes, and one caller may run two at once', async () => {
  const reads = createReadSemaphore({ connections: 10, refusal: () => new Error('too many') })
  let inside = 0
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  const read = (caller: string) =>
    reads.run(() => {
      inside++
      return ended
    }, caller)
  const own = Array.from({ length: 5 }, () => read('Uanna'))
  expect(inside).toBe(2)
  const others = Array.from({ length: 20 }, (_, n) => read(`U${n}`))
  expect(inside).toBe(7)
  end()
  await Promise.all([...own, ...others])
  expect(inside).toBe(25)
})
