import type { MessageInitShape } from '@bufbuild/protobuf'
import type { PageInfo, PageRequest, PageRequestSchema } from '@parley/contracts/api'

export type Paged = { page?: PageInfo | undefined }

/**
 * Yields every page of a list, from first to last:
 * `for await (const { users } of everyPage((page) => client.api.user.listUsers({ page })))`.
 */
export async function* everyPage<Answer extends Paged>(
  call: (page: MessageInitShape<typeof PageRequestSchema>) => Promise<Answer>,
  options: Partial<Pick<PageRequest, 'limit'>> = {},
): AsyncGenerator<Answer, void, undefined> {
  for (let cursor = ''; ;) {
    const answer = await call({ limit: options.limit ?? 0, cursor })
    yield answer
    const next = answer.page?.nextCursor ?? ''
    if (next === '' || next === cursor) return
    cursor = next
  }
}
