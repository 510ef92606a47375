import { badRoleText, emptyUpdate } from '../errors.ts'

/** The editable properties of a role. */
export type RoleTexts = { displayName: string; description: string; pingable: boolean }
export type RoleField = keyof RoleTexts

type Wanted = { [field in RoleField]?: RoleTexts[field] | undefined }

const controls = /\p{Cc}/u
const controlsButLines = /[^\P{Cc}\n\r\t]/u

/** The fields that a request sets; absent ones are unchanged. The schema checks lengths. */
export function wantedTexts({ displayName, description, pingable }: Wanted): Partial<RoleTexts> {
  if (displayName !== undefined && controls.test(displayName)) throw badRoleText('display_name')
  if (description !== undefined && controlsButLines.test(description)) throw badRoleText('description')
  const texts = {
    ...(displayName !== undefined && { displayName }),
    ...(description !== undefined && { description }),
    ...(pingable !== undefined && { pingable }),
  }
  if (Object.keys(texts).length === 0) throw emptyUpdate()
  return texts
}

const fields: readonly RoleField[] = ['displayName', 'description', 'pingable']

/** The fields whose wanted value differs from the current one. */
export function changedFields(before: RoleTexts, wanted: Partial<RoleTexts>): RoleField[] {
  return fields.filter((field) => wanted[field] !== undefined && wanted[field] !== before[field])
}
