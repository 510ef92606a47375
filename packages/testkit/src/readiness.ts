import type { Service } from '@parley/runtime'
import { eventually } from '@parley/tooling/eventually'

export async function readiness(internalPort: number): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`http://127.0.0.1:${internalPort}/readyz`)
  return { status: response.status, body: await response.json() }
}

export async function waitUntilReady({ internalPort }: Service): Promise<void> {
  await eventually(async () => {
    const { status, body } = await readiness(internalPort)
    if (status !== 200) throw new Error(`not ready: ${JSON.stringify(body)}`)
  })
}
