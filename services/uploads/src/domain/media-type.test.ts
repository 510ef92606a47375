import { describe, expect, test } from '@jest/globals'
import { isCode, isDecodedImage, isPlayed, isVideo, mayHoldScripts, mediaType } from './media-type.ts'

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

describe('a media type', () => {
  test.each([
    ['image/jpg', true],
    ['image/webp', true],
    ['image/svg+xml', false],
    ['text/image/png', false],
  ])('%s is decoded as an image: %p', (type, expected) => expect(isDecodedImage(type)).toBe(expected))

  test.each([
    ['video/mp4; codecs=avc1', true],
    ['application/video', false],
  ])('%s is a video: %p', (type, expected) => expect(isVideo(type)).toBe(expected))

  test.each([
    ['text/html', true],
    ['image/svg+xml', true],
    ['application/javascript', true],
    ['application/atom+xml', true],
    ['application/xhtml+xml', true],
    ['application/mathml+xml', true],
    ['text/xsl', true],
    ['multipart/x-mixed-replace; boundary=a', true],
    ['text/html; charset=utf-8', true],
    ['TEXT/HTML', true],
    ['video/x+xml', true],
    ['audio/x.y+xml; a=b', true],
    ['video/mp4; codecs=avc1', false],
    ['application/pdf', false],
    ['text/plain; charset=utf-8', false],
    ['image/png', false],
    ['audio/ogg', false],
  ])('%s may contain scripts: %p', (type, expected) => expect(mayHoldScripts(type)).toBe(expected))

  test.each([
    ['text/javascript', true],
    ['application/x-javascript; a=b', true],
    ['text/javascript1.5', true],
    ['text/ecmascript', true],
    ['text/css', true],
    ['application/wasm', true],
    ['text/plain', false],
    ['application/json', false],
  ])('%s is code: %p', (type, expected) => expect(isCode(type)).toBe(expected))

  test.each([
    ['video/mp4; codecs=avc1', true],
    ['audio/ogg', true],
    ['image/gif', false],
  ])('%s is played in parts: %p', (type, expected) => expect(isPlayed(type)).toBe(expected))
})
