import { createHash } from 'node:crypto'
import { statement, type Connection } from './statement.ts'

const find = statement<{ preview: Buffer }>(
  'find_link_preview',
  'select preview from link_preview_tokens where digest = $1 and user_id = $2 and expires_at > now()',
)

/** Undefined if the token is unknown, expired or another user's. */
export async function findLinkPreview(on: Connection, userId: string, token: string): Promise<Buffer | undefined> {
  const digest = createHash('sha256').update(token).digest()
  return (await find.run(on, [digest, userId]))[0]?.preview
}
