import { expect, test } from '@jest/globals'
import { TransformCache } from './transform-cache.ts'

function counting() {
  const made: string[] = []
  const make = (id: string, size: number) => () => {
    made.push(id)
    return Promise.resolve({ bytes: Buffer.alloc(size), contentType: 'image/webp' as const })
  }
  return { made, make }
}

test('one thing is made once for all who ask at the same time, and kept', async () => {
  const cache = new TransformCache(100)
  const { made, make } = counting()
  await Promise.all([cache.get('a', make('a', 10)), cache.get('a', make('a', 10))])
  await cache.get('a', make('a', 10))
  expect(made).toEqual(['a'])
})

test('what was asked for longest ago goes first', async () => {
  const cache = new TransformCache(25)
  const { made, make } = counting()
  for (const id of ['a', 'b', 'a', 'c', 'a', 'b']) await cache.get(id, make(id, 10))
  expect(made).toEqual(['a', 'b', 'c', 'b'])
})

test('a failure is not kept', async () => {
  const cache = new TransformCache(25)
  await expect(cache.get('a', () => Promise.reject(new Error('failed')))).rejects.toThrow('failed')
  expect((await cache.get('a', counting().make('a', 3))).bytes).toHaveLength(3)
})
