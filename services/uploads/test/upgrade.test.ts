import { createHash } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { create, toBinary } from '@bufbuild/protobuf'
import { expect, test } from '@jest/globals'
import { AssetUploadStatus, CreateUploadRequestSchema, CreateUploadResponseSchema } from '@parley/contracts/api'
import { migrateDatabase } from '@parley/postgres'
import { migrationsBefore, openTestDatabase, testDatabase } from '@parley/testkit'
import { openEnv } from './_env.ts'

test('idempotency keys that the previous version stores before or after the migration are honoured, and that version can delete them', async () => {
  const migrations = new URL('../drizzle', import.meta.url)
  using before = migrationsBefore(migrations, '0011_idempotent_calls')
  await using database = await testDatabase(before.folder)
  await using old = await openTestDatabase(database.url)
  const request = create(CreateUploadRequestSchema, {
    roomId: 'Rold',
    filename: 'old.txt',
    contentType: 'text/plain',
    size: 3n,
    sha256: 'a'.repeat(64),
  })
  const digest = createHash('sha256').update(toBinary(CreateUploadRequestSchema, request)).digest()
  const store = async (uploadId: string) => {
    const answer = create(CreateUploadResponseSchema, { upload: { uploadId } })
    const { rowCount } = await old.pool.query(
      `insert into "upload_keys" ("caller_id", "key", "digest", "response", "created_at") values ('Ualice', $1, $2, $3, now())
       on conflict do nothing returning "key"`,
      [`key of ${uploadId}`, digest, toBinary(CreateUploadResponseSchema, answer)],
    )
    return rowCount
  }
  expect(await store('Abefore')).toBe(1)
  await migrateDatabase({ url: database.url, folder: fileURLToPath(migrations) })
  expect([await store('Aafter'), await store('Abefore')]).toEqual([1, 0])

  await using env = await openEnv()
  await env.start({ PARLEY_UPLOADS_DATABASE_URL: database.url })
  for (const uploadId of ['Abefore', 'Aafter']) {
    const options = { headers: { 'Idempotency-Key': `key of ${uploadId}` } }
    const { upload } = await env.as('Ualice').uploads.createUpload(request, options)
    expect(upload).toMatchObject({ uploadId, status: AssetUploadStatus.CANCELLED })
  }
  const erased = await old.pool.query(
    `delete from "upload_keys" where "caller_id" = 'Ualice'
     and "key" in (select "key" from "upload_keys" where "caller_id" = 'Ualice' limit 1000)`,
  )
  expect(erased.rowCount).toBe(2)
})
