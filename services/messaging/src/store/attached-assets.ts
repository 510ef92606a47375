import { statement, type Connection } from './statement.ts'

const find = statement<{ assetId: string }>(
  'find_attached',
  'select asset_id as "assetId" from message_attachments where asset_id = any ($1::text[]) limit 1',
)

export async function findAttachedAsset(on: Connection, assetIds: readonly string[]): Promise<string | undefined> {
  return (await find.run(on, [assetIds]))[0]?.assetId
}
