import { describe, expect, test } from '@jest/globals'
import { planMemory } from './memory.ts'

const MiB = 1024 ** 2
const GiB = 1024 ** 3
const both = { images: true, videos: true }
const images = { images: true, videos: false }
const videos = { images: false, videos: true }

describe('planMemory', () => {
  test('uses the defaults without a limit', () => {
    expect(planMemory(undefined, {}, both)).toMatchObject({
      ...{ imagesAtOnce: 2, transformCacheBytes: 64 * MiB, videosAtOnce: 2, toolBytes: 4 * GiB },
    })
  })

  test.each([
    [512 * MiB, images, { imagesAtOnce: 1, videosAtOnce: 0 }],
    [768 * MiB, images, { imagesAtOnce: 2, videosAtOnce: 0 }],
    [16 * GiB, images, { imagesAtOnce: 2, transformCacheBytes: 64 * MiB }],
    [2 * GiB, both, { imagesAtOnce: 2, videosAtOnce: 1 }],
    [2 * GiB, videos, { imagesAtOnce: 0, transformCacheBytes: 0, videosAtOnce: 1 }],
    [4608 * MiB, videos, { videosAtOnce: 2, toolBytes: 2176 * MiB }],
    [64 * GiB, both, { videosAtOnce: 2, toolBytes: 4 * GiB }],
  ])('stays within a limit of %i bytes', (limit, worksOn, expected) => {
    const plan = planMemory(limit, {}, worksOn)
    expect(plan).toMatchObject(expected)
    expect(plan.bytes).toBeLessThanOrEqual(limit)
  })

  test('keeps the operator’s settings even if they exceed the limit', () => {
    const plan = planMemory(512 * MiB, { imagesAtOnce: 8, transformCacheBytes: GiB, videosAtOnce: 3 }, both)
    expect(plan).toMatchObject({ imagesAtOnce: 8, transformCacheBytes: GiB, videosAtOnce: 3, toolBytes: GiB })
    expect(plan.bytes).toBeGreaterThan(512 * MiB)
  })

  test('plans for at least one image and one video, even if they exceed the limit', () => {
    expect(planMemory(128 * MiB, {}, both)).toMatchObject({ imagesAtOnce: 1, videosAtOnce: 1, toolBytes: GiB })
  })
})
