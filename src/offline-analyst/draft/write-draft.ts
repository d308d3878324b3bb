/** Which Draft a transcript that leads no further ends in. Pure. */
import type { Draft } from '../../shared/domain/contracts/draft.js';
import type { CaseView } from '../reading/case-view.js';
import { isHopeless, pathOf } from '../leads/plan.js';
import { OFFLINE_NOTE } from '../analyst-answer.js';
import { missingContextDraft } from './assemble.js';
import { causeDraft } from './cause-draft.js';
import { countDraft } from './count-draft.js';
import { rowDraft } from './row-draft.js';

export function writeDraft(view: CaseView): Draft {
  if (view.calls.length === 0 && isHopeless(view)) return missingContextDraft(missing(view), [OFFLINE_NOTE]);
  const path = pathOf(view);
  switch (path) {
    case 'cause':
      return causeDraft(view);
    case 'count-logs':
      return countDraft(view);
    case 'count-rows':
      return rowDraft(view);
  }
}

function missing(view: CaseView): string[] {
  const { services, databases } = view.payload.material;
  return [
    'Which service, log or database the question is about',
    'What was observed there, for example an error message or a count',
    ...(services.length === 0 && databases.length === 0
      ? ['A log directory or a database to look into: none is connected']
      : []),
  ];
}
