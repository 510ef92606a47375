import { expect, test } from '@jest/globals'
import { TransformCache } from './transform-cache.ts'

const size = (picture: string, tag = '') => ({ picture, tag })

function counting() {
  const made: string[] = []
  const make = (id: string, size: number) => () => {
    made.push(id)
    return Promise.resolve({ bytes: Buffer.alloc(size), contentType: 'image/webp' as const })
  }
  return { made, make }
}

test('concurrent requests for a size generate it once, and it is cached', async () => {
  const cache = new TransformCache(100)
  const { made, make } = counting()
  await Promise.all([cache.get(size('a'), make('a', 10)), cache.get(size('a'), make('a', 10))])
  await cache.get(size('a'), make('a', 10))
  expect(made).toEqual(['a'])
})

test('the least recently used size is evicted first', async () => {
  const cache = new TransformCache(25)
  const { made, make } = counting()
  for (const id of ['a', 'b', 'a', 'c', 'a', 'b']) await cache.get(size(id), make(id, 10))
  expect(made).toEqual(['a', 'b', 'c', 'b'])
})

test('a failure is not cached', async () => {
  const cache = new TransformCache(25)
  await expect(cache.get(size('a'), () => Promise.reject(new Error('failed')))).rejects.toThrow('failed')
  expect((await cache.get(size('a'), counting().make('a', 3))).bytes).toHaveLength(3)
})

test('many sizes of one image do not evict others', async () => {
  const cache = new TransformCache(100)
  const { made, make } = counting()
  await cache.get(size('other'), make('other', 10))
  for (let n = 0; n < 50; n++) await cache.get(size('a', String(n)), make(`a ${n}`, 10))
  made.length = 0
  for (const n of [49, 42, 41]) await cache.get(size('a', String(n)), make(`a ${n}`, 10))
  await cache.get(size('other'), make('other', 10))
  expect(made).toEqual(['a 41'])
})
