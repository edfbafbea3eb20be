/** The scenarios by their names, for whoever must not load the program to know them. */
export const SCENARIO_NAMES = [
  'publishing',
  'recovery',
  'fencing',
  'sealing',
  'retention',
  'reading',
  'publishers',
  'evicting',
  'incarnations',
  'packing',
  'history',
  'limits',
  'maintaining',
  'opening',
  'patching',
  'deduplicating',
  'consuming',
  'limiting',
  'routing',
  'delaying',
  'holding',
  'remembering',
  'everything',
] as const;

export type ScenarioName = (typeof SCENARIO_NAMES)[number];
