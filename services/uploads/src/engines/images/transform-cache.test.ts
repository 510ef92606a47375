import { expect, test } from '@jest/globals'
import { TransformCache } from './transform-cache.ts'

const size = (imageId: string, tag = '') => ({ imageId, tag })

function countRenderings() {
  const rendered: string[] = []
  const render = (id: string, size: number) => () => {
    rendered.push(id)
    return Promise.resolve({ bytes: Buffer.alloc(size), contentType: 'image/webp' as const })
  }
  return { rendered, render }
}

test('concurrent requests for a size generate it once, and it is cached', async () => {
  const cache = new TransformCache(100)
  const { rendered, render } = countRenderings()
  await Promise.all([cache.get(size('a'), render('a', 10)), cache.get(size('a'), render('a', 10))])
  await cache.get(size('a'), render('a', 10))
  expect(rendered).toEqual(['a'])
})

test('the least recently used size is evicted first', async () => {
  const cache = new TransformCache(25)
  const { rendered, render } = countRenderings()
  for (const id of ['a', 'b', 'a', 'c', 'a', 'b']) await cache.get(size(id), render(id, 10))
  expect(rendered).toEqual(['a', 'b', 'c', 'b'])
})

test('a failure is not cached', async () => {
  const cache = new TransformCache(25)
  await expect(cache.get(size('a'), () => Promise.reject(new Error('failed')))).rejects.toThrow('failed')
  expect((await cache.get(size('a'), countRenderings().render('a', 3))).bytes).toHaveLength(3)
})

test('many sizes of one image do not evict sizes of other images', async () => {
  const cache = new TransformCache(100)
  const { rendered, render } = countRenderings()
  await cache.get(size('other'), render('other', 10))
  for (let n = 0; n < 50; n++) await cache.get(size('a', String(n)), render(`a ${n}`, 10))
  rendered.length = 0
  for (const n of [49, 42, 41]) await cache.get(size('a', String(n)), render(`a ${n}`, 10))
  await cache.get(size('other'), render('other', 10))
  expect(rendered).toEqual(['a 41'])
})
