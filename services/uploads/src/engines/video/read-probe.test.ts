import { expect, test } from '@jest/globals'
import { readProbe } from './read-probe.ts'

const video = { codec_type: 'video', width: 1920, height: 1080 }
const read = (stream: object, format: object = { duration: '2.5' }) =>
  readProbe(JSON.stringify({ streams: [{ codec_type: 'audio' }, stream], format }))

test('the first video stream is used; covers and subtitles are not videos', () => {
  expect(read(video)).toEqual({ width: 1920, height: 1080, durationMs: 2500 })
  const smaller = { ...video, width: 640, height: 360 }
  expect(readProbe(JSON.stringify({ streams: [video, smaller] }))).toMatchObject({ width: 1920, height: 1080 })
  expect(read({ ...video, disposition: { attached_pic: 1 } })).toBeUndefined()
  expect(read({ codec_type: 'subtitle' })).toBeUndefined()
})

test.each([
  [{ side_data_list: [{}, { rotation: -90 }] }, 1080, 1920],
  [{ side_data_list: [{ rotation: 180 }] }, 1920, 1080],
  [{ tags: { rotate: '270' } }, 1080, 1920],
  [{ sample_aspect_ratio: '4:3' }, 2560, 1080],
  [{ sample_aspect_ratio: '0:1' }, 1920, 1080],
])('%p is displayed as %dx%d', (more, width, height) => {
  expect(read({ ...video, ...more })).toMatchObject({ width, height })
})

test('the duration may be a property of the stream; a missing or invalid one is undefined', () => {
  expect(read({ ...video, duration: '1.0004' }, {})?.durationMs).toBe(1000)
  for (const duration of ['N/A', '-1', '0', '1e99', undefined])
    expect(read(video, { duration })?.durationMs).toBeUndefined()
})

test.each([
  ['too wide in pixels', { width: 16_385 }],
  ['with too many pixels', { width: 16_000, height: 3000 }],
  ['without width', { width: 0 }],
  ['with a height that is not a number', { height: 'many' }],
  ['too wide when displayed', { sample_aspect_ratio: '100:1' }],
])('a stream %s is refused', (_, more) => {
  expect(read({ ...video, ...more })).toBeUndefined()
})

test.each(['', '{', 'null', '[]', '{"streams":null}', '{"programs":[]}'])(
  'the output %p contains no video',
  (output) => {
    expect(readProbe(output)).toBeUndefined()
  },
)
