import { expect, test } from '@jest/globals'
import { sniffContainer } from './sniff-container.ts'

const padded = (text: string) => Buffer.concat([Buffer.from(text, 'latin1'), Buffer.alloc(400)])
const packets = Buffer.alloc(512)
for (const at of [0, 188, 376]) packets.write('G', at)

test.each([
  ['\0\0\0\x18ftypisom', 'mov'],
  ['\0\0\0\x08moov', 'mov'],
  ['\x1a\x45\xdf\xa3', 'matroska'],
  ['GIF89a', 'gif'],
  ['RIFF\0\0\0\0AVI LIST', 'avi'],
  ['OggS', 'ogg'],
  ['FLV\x01', 'flv'],
  ['\x30\x26\xb2\x75\x8e\x66\xcf\x11', 'asf'],
  ['\0\0\x01\xba', 'mpeg'],
])('the demuxer for %p is %s', (text, demuxer) => {
  expect(sniffContainer(padded(text))).toBe(demuxer)
})

test('an MPEG transport stream is recognised by the first byte of each packet', () => {
  expect(sniffContainer(packets)).toBe('mpegts')
  expect(sniffContainer(padded('G'))).toBeUndefined()
})

test.each([
  '#EXTM3U\n',
  'ffconcat version 1.0\n',
  '<?xml version="1.0"?><MPD>',
  'RIFF\0\0\0\0WAVE',
  '1\n00:00:01,000',
  '',
])('%p, which refers to other files or is not a video, has no demuxer', (text) => {
  expect(sniffContainer(padded(text))).toBeUndefined()
  expect(sniffContainer(Buffer.from(text))).toBeUndefined()
})
