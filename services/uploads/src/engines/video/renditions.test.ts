import { expect, test } from '@jest/globals'
import { planRenditions } from './renditions.ts'

test.each([
  [3840, 2160, ['720p 1280x720', '480p 854x480']],
  [1280, 720, ['720p 1280x720', '480p 854x480']],
  [1080, 1920, ['720p 406x720', '480p 270x480']],
  [1279, 719, ['480p 854x480']],
  [640, 480, ['480p 640x480']],
  [853, 479, ['478p 852x478']],
  [361, 241, ['240p 360x240']],
  [1, 1, ['2p 2x2']],
  [16_000, 1, ['2p 16000x2']],
])('a video of %dx%d gets the renditions %p', (width, height, expected) => {
  expect(planRenditions({ width, height }).map((r) => `${r.quality} ${r.width}x${r.height}`)).toEqual(expected)
})
