import { Code, ConnectError } from '@connectrpc/connect'
import { expect, test } from '@jest/globals'
import { PostBatcher } from './post-batcher.ts'
import type { Written } from './message.ts'

const { signal } = new AbortController()

/** PostBatcher whose statements end when the test says so. */
function slowBatcher(outcome: (item: number) => Written = (item) => ({ seq: BigInt(item) }), mostWaiting = 100) {
  const statements: { roomId: string; items: readonly number[]; end: (error?: Error) => void }[] = []
  const write = (roomId: string, items: readonly number[]) =>
    new Promise<Written[]>((resolve, reject) => {
      const end = (error?: Error) => (error ? reject(error) : resolve(items.map(outcome)))
      statements.push({ roomId, items, end })
    })
  return { statements, batcher: new PostBatcher<number>(write, { mostWaiting }) }
}

const settled = () => new Promise(setImmediate)

test('what comes during a statement goes into the next one in its order, up to 64, and other rooms do not wait', async () => {
  const { statements, batcher } = slowBatcher()
  const written = Array.from({ length: 100 }, (_, n) => batcher.write('R1', n, signal))
  const elsewhere = batcher.write('R2', 7, signal)
  expect(statements.map(({ roomId, items }) => [roomId, items])).toEqual([
    ['R1', [0]],
    ['R2', [7]],
  ])
  for (const index of [0, 1, 2, 3]) {
    statements[index]?.end()
    await settled()
  }
  expect(statements.slice(2).map(({ items }) => items.length)).toEqual([64, 35])
  expect(await Promise.all(written)).toEqual(Array.from({ length: 100 }, (_, n) => BigInt(n)))
  expect(await elsewhere).toBe(7n)
  void batcher.write('R1', 8, signal)
  expect(statements.at(-1)?.items).toEqual([8])
})

test('each has its own outcome', async () => {
  const outcomes: Written[] = [{ seq: 1n }, 'taken', new Error('refused')]
  const { statements, batcher } = slowBatcher((item) => outcomes[item] ?? { seq: 9n })
  const written = Promise.allSettled([9, 0, 1, 2].map((item) => batcher.write('R1', item, signal)))
  for (const index of [0, 1]) {
    statements[index]?.end()
    await settled()
  }
  expect(await written).toMatchObject([{ value: 9n }, { value: 1n }, { value: undefined }, { reason: outcomes[2] }])
})

test('a failed statement fails all that is in it and nothing behind it', async () => {
  const { statements, batcher } = slowBatcher()
  const written = Promise.allSettled([1, 2, 3].map((item) => batcher.write('R1', item, signal)))
  statements[0]?.end(new Error('away'))
  await settled()
  statements[1]?.end()
  expect(await written).toMatchObject([{ status: 'rejected' }, { value: 2n }, { value: 3n }])
})

test('one that cannot be written does not take the others along; what nothing can be written to is asked once', async () => {
  const statements: (readonly number[])[] = []
  let away: Error | undefined
  const batcher = new PostBatcher<number>((_, items) => {
    statements.push(items)
    if (away) return Promise.reject(away)
    return items.includes(3)
      ? Promise.reject(new Error('no such value'))
      : Promise.resolve(items.map((item) => ({ seq: BigInt(item) })))
  })
  const write = (roomId: string, items: number[]) =>
    Promise.allSettled(items.map((item) => batcher.write(roomId, item, signal)))
  expect(await write('R1', [1, 2, 3, 4])).toMatchObject([
    ...[{ value: 1n }, { value: 2n }, { status: 'rejected', reason: { message: 'no such value' } }, { value: 4n }],
  ])
  expect(statements).toEqual([[1], [2, 3, 4], [2], [3], [4]])
  for (const error of [new ConnectError('no such room', Code.NotFound), new Error('Connection terminated')]) {
    statements.length = 0
    away = error
    expect(await write(error.message, [1, 2, 4])).toMatchObject([1, 2, 4].map(() => ({ reason: error })))
    expect(statements).toEqual([[1], [2, 4]])
  }
})

test('nobody waits without bound, and what was given up meanwhile is not written', async () => {
  const { statements, batcher } = slowBatcher(undefined, 2)
  const giver = new AbortController()
  const written = Promise.allSettled([
    batcher.write('R1', 1, signal),
    batcher.write('R1', 2, giver.signal),
    batcher.write('R1', 3, signal),
    batcher.write('R1', 4, signal),
  ])
  giver.abort()
  statements[0]?.end()
  await settled()
  expect(statements[1]?.items).toEqual([3])
  statements[1]?.end()
  const [, givenUp, , busy] = await written
  expect(givenUp).toMatchObject({ reason: { code: Code.Canceled } })
  expect(busy).toMatchObject({ reason: { code: Code.Unavailable } })
})
