/** `system` follows the device. */
export type Appearance = { theme: 'system' | 'light' | 'dark'; contrast: 'system' | 'more' }

const storageKey = 'parley.appearance'
const standard: Appearance = { theme: 'system', contrast: 'system' }

export function loadAppearance(): Appearance {
  try {
    const stored = JSON.parse(localStorage.getItem(storageKey) ?? '{}') as Partial<Record<keyof Appearance, unknown>>
    const theme = stored.theme === 'light' || stored.theme === 'dark' ? stored.theme : standard.theme
    return { theme, contrast: stored.contrast === 'more' ? 'more' : standard.contrast }
  } catch {
    return standard
  }
}

export const saveAppearance = (appearance: Appearance): void =>
  localStorage.setItem(storageKey, JSON.stringify(appearance))

const moreContrast = matchMedia('(prefers-contrast: more)')
let current: Appearance = standard
moreContrast.addEventListener('change', () => applyAppearance(current))

/** Applies an appearance: styles/tokens.css selects its values by two attributes of the root element. */
export function applyAppearance(appearance: Appearance): void {
  current = appearance
  const { dataset } = document.documentElement
  if (appearance.theme === 'system') delete dataset.theme
  else dataset.theme = appearance.theme
  if (appearance.contrast === 'more' || moreContrast.matches) dataset.contrast = 'more'
  else delete dataset.contrast
}
