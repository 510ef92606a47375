import { describe, expect, test } from '@jest/globals'
import { isDecodedImage, isVideo, mayHoldScripts, mediaType } from './media-type.ts'

test.each([
  ['', 'application/octet-stream'],
  [' Image/PNG ', 'image/png'],
  ['text/plain; charset=UTF-8', 'text/plain; charset=UTF-8'],
  ['text/plain;charset="a b"', 'text/plain;charset="a b"'],
  ['application/vnd.oasis.opendocument.text', 'application/vnd.oasis.opendocument.text'],
  ['png', undefined],
  ['text/plain\r\nset-cookie: a', undefined],
  ['text/plain; charset', undefined],
  ['text/plain;\r\n a=b', undefined],
  ['text/plain;\u2028a=b', undefined],
  ['text/é', undefined],
  [`text/${'x'.repeat(200)}`, undefined],
])('%j is stored as %j', (given, stored) => {
  expect(mediaType(given)).toBe(stored)
})

describe('of types', () => {
  test.each([
    ['image/jpg', true],
    ['image/webp', true],
    ['image/svg+xml', false],
    ['text/image/png', false],
  ])('%s is decoded: %p', (type, expected) => expect(isDecodedImage(type)).toBe(expected))

  test.each([
    ['video/mp4; codecs=avc1', true],
    ['application/video', false],
  ])('%s is a video: %p', (type, expected) => expect(isVideo(type)).toBe(expected))

  test.each([
    ['text/html', true],
    ['image/svg+xml', true],
    ['application/javascript', true],
    ['application/atom+xml', true],
    ['text/plain; charset=utf-8', false],
    ['image/png', false],
    ['audio/ogg', false],
  ])('%s may hold scripts: %p', (type, expected) => expect(mayHoldScripts(type)).toBe(expected))
})
