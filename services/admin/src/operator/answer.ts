import { toJson, type JsonValue } from '@bufbuild/protobuf'
import { defineConfig } from '@parley/config'
import { GetPolicyResponseSchema } from '@parley/contracts/internal'
import { explainDatabaseError, openDatabase } from '@parley/postgres'
import { readConfig } from '../config.ts'
import { getNewAccountData } from '../actions/roles/new-account-data.ts'

type DirectRequest = { login: string }

const { databaseUrl } = readConfig.fields
const readSettings = defineConfig({ databaseUrl })

export async function answerDirectly(
  input: string,
  env: NodeJS.ProcessEnv = process.env,
): Promise<{ answer: { policy: JsonValue; blocked: boolean } }> {
  const { login } = JSON.parse(input) as DirectRequest
  await using database = await openDatabase({ url: readSettings({ env }).databaseUrl, pool: 1, name: 'admin operator' })
  try {
    const { policy, blocked } = await getNewAccountData(database.db, login)
    return { answer: { policy: toJson(GetPolicyResponseSchema, policy), blocked } }
  } catch (error) {
    throw explainDatabaseError(error, 'admin') ?? error
  }
}
