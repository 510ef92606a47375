import { createHash } from 'node:crypto'
import { statement, type Connection } from './statement.ts'

const insert = statement(
  'store_preview_token',
  `insert into link_preview_tokens (digest, user_id, preview, expires_at) values ($1, $2, $3, now() + interval '30 minutes')`,
)

const drop = statement<{ dropped: number }>(
  'drop_preview_tokens',
  `with gone as (
  delete from link_preview_tokens where digest in (select digest from link_preview_tokens where expires_at <= now() limit $1::integer)
  returning 1
) select count(*)::integer as dropped from gone`,
)

/** Stores only the digest of the token, which is valid for half an hour. */
export async function storePreviewToken(
  on: Connection,
  { token, userId, preview }: { token: string; userId: string; preview: Uint8Array },
): Promise<void> {
  const digest = createHash('sha256').update(token).digest()
  await insert.run(on, [digest, userId, Buffer.from(preview)])
}

export async function dropExpiredPreviewTokens(on: Connection, limit: number): Promise<number> {
  return (await drop.run(on, [limit]))[0]?.dropped ?? 0
}
