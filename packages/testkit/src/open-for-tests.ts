import { afterAll, beforeAll } from '@jest/globals'

/**
 * Opens a resource before the tests of the file or `describe` in which it is called, and disposes of it after them. The
 * returned object gets the members of the resource as soon as it is open.
 */
export function openForTests<T extends AsyncDisposable>(open: () => Promise<T>): T {
  const opened = {} as T
  let dispose = (): PromiseLike<void> => Promise.resolve()
  beforeAll(async () => {
    const resource = await open()
    dispose = () => resource[Symbol.asyncDispose]()
    Object.assign(opened, resource)
  })
  afterAll(async () => dispose())
  return opened
}
