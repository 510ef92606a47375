import { expect, test } from '@jest/globals'
import { isChatPath, managePath, pathOf, routeOf } from './router.ts'

test('the path of a room or thread is parsed', () => {
  expect(routeOf('/')).toMatchObject({ roomId: undefined, threadRootEventId: undefined })
  expect(routeOf(pathOf('R/1'))).toMatchObject({ roomId: 'R/1', threadRootEventId: undefined })
  expect(routeOf(pathOf('R1', 'E1'), '?highlight=E2')).toEqual({
    roomId: 'R1',
    threadRootEventId: 'E1',
    highlight: 'E2',
    managed: undefined,
  })
  expect(pathOf('R1', '', 'E2')).toBe('/chat/-/R1?highlight=E2')
  expect(routeOf('/chat/-/R1/E1/more').roomId).toBeUndefined()
})

test('the path of an administration page is parsed', () => {
  expect(routeOf(managePath('people')).managed).toEqual({ section: 'people', id: undefined })
  expect(routeOf(managePath('rooms', 'R/1')).managed).toEqual({ section: 'rooms', id: 'R/1' })
  expect(routeOf('/manage/secrets').managed).toBeUndefined()
})

test.each(['/', '/chat', '/chat/', '/chat/-/R1', '/chat/-/R1/E1', '/manage', '/manage/people', '/manage/rooms/R1'])(
  '%s is a page',
  (path) => expect(isChatPath(path)).toBe(true),
)

test.each(['/nowhere', '/chat/R1', '/chat/-/R1/E1/more', '/manage/secrets', '/chat/-/%zz'])(
  '%s is not a page',
  (path) => expect(isChatPath(path)).toBe(false),
)
