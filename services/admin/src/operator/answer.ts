import { toJson, type JsonValue } from '@bufbuild/protobuf'
import { defineConfig } from '@parley/config'
import { GetPolicyResponseSchema } from '@parley/contracts/internal'
import { explainDatabaseError, openDatabase } from '@parley/postgres'
import { readConfig } from '../config.ts'
import { isBlocked } from '../store/blocked-usernames.ts'
import { getPolicy } from '../store/policy.ts'
import { seed } from '../store/seed.ts'
import { toPolicy } from '../view/policy.ts'

type Question = { login: string }

const { databaseUrl } = readConfig.fields
const readSettings = defineConfig({ databaseUrl })

/** Tells what accounts asks admin when an account is made: the policy, and whether a login is blocked. */
export async function answerDirectly(
  input: string,
  env: NodeJS.ProcessEnv = process.env,
): Promise<{ answer: { policy: JsonValue; blocked: boolean } }> {
  const { login } = JSON.parse(input) as Question
  await using database = await openDatabase({ url: readSettings({ env }).databaseUrl, pool: 1, name: 'admin operator' })
  try {
    // The first owner may be created before admin has ever run.
    await seed(database.db)
    const policy = toJson(GetPolicyResponseSchema, toPolicy(await getPolicy(database.db)))
    return { answer: { policy, blocked: await isBlocked(database.db, login) } }
  } catch (error) {
    throw explainDatabaseError(error, 'admin') ?? error
  }
}
