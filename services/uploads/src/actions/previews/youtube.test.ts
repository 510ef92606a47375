import { expect, test } from '@jest/globals'
import { youtubeVideoId } from './youtube.ts'

test.each([
  ['https://www.youtube.com/watch?v=dQw4w9WgXcQ&t=42s', 'dQw4w9WgXcQ'],
  ['https://youtube.com/watch?app=desktop&v=dQw4w9WgXcQ', 'dQw4w9WgXcQ'],
  ['http://m.youtube.com/shorts/dQw4w9WgXcQ', 'dQw4w9WgXcQ'],
  ['https://youtu.be/dQw4w9WgXcQ?si=1', 'dQw4w9WgXcQ'],
  ['https://www.youtube-nocookie.com/embed/dQw4w9WgXcQ', 'dQw4w9WgXcQ'],
  ['https://music.youtube.com/live/dQw4w9WgXcQ', 'dQw4w9WgXcQ'],
  ['https://www.youtube.com/watch?v=short', undefined],
  ['https://www.youtube.com/watch?v=dQw4w9WgXcQ"><script>', undefined],
  ['https://www.youtube.com/@somebody', undefined],
  ['https://youtube.com.example.org/watch?v=dQw4w9WgXcQ', undefined],
  ['https://notyoutu.be/dQw4w9WgXcQ', undefined],
])('the video in %s is %p', (url, id) => {
  expect(youtubeVideoId(new URL(url))).toBe(id)
})
