import { expect, test } from '@jest/globals'
import { contentHeaders } from './content-headers.ts'

test.each([
  ['plan.pdf', "inline; filename*=UTF-8''plan.pdf"],
  ['Größe & 日本.pdf', "inline; filename*=UTF-8''Gr%C3%B6%C3%9Fe%20%26%20%E6%97%A5%E6%9C%AC.pdf"],
  [`a"; filename="x.exe`, "inline; filename*=UTF-8''a%22%3B%20filename%3D%22x.exe"],
  ["it's (1)*!.pdf", "inline; filename*=UTF-8''it%27s%20%281%29%2A%21.pdf"],
  ['a\r\nSet-Cookie: x', "inline; filename*=UTF-8''a__Set-Cookie%3A%20x"],
  ['../..\\etc', "inline; filename*=UTF-8''.._.._etc"],
  ['fdp\u202efdp.exe', "inline; filename*=UTF-8''fdp_fdp.exe"],
  ['\ud800', "inline; filename*=UTF-8''_"],
])('%j becomes a safe file name', (filename, expected) => {
  expect(contentHeaders({ contentType: 'application/pdf', filename })['content-disposition']).toBe(expected)
})
