import { burnRate, describeObjective, objectives as all } from '../objectives.mjs'
import { count, share } from './queries.mjs'

export const objectives = {
  name: 'objectives',
  title: 'objectives',
  panels: [
    ...all.map(({ name, title, ...objective }) => ({
      title,
      meaning: `Burn rate over windows; at 1 the error budget lasts thirty days. Objective: ${describeObjective(objective)}`,
      unit: count,
      queries: ['5m', '1h', '6h', '3d'].map((window) => [`${burnRate(window)}{parley_objective="${name}"}`, window]),
    })),
    {
      title: 'Used budget',
      meaning: 'Share of the thirty-day error budget that the last three days used',
      unit: share,
      queries: [[`${burnRate('3d')} * 3 / 30`, '{{parley_objective}}']],
    },
  ],
}
