import { BlockOutlined } from "@ant-design/icons";
import { Button } from "antd";
import { Link } from "react-router";
import { useLanguage, useStrings } from "@/shared/language";
import type { Document } from "../following";
import { useSentenceWords } from "../server-words";
import { isSettled } from "../state-words";
import { strategyWords } from "./strategies";
import { strategyStrings } from "./strings";

/** How a document is cut, what was recommended, and why. */
export function StrategySection({ document }: { document: Document }) {
  const t = useStrings(strategyStrings);
  const language = useLanguage();
  const inWords = useSentenceWords();
  const { id, mine, recommended_strategy: recommended, state, strategy, strategy_reasons: reasons } = document;
  if (!strategy && isSettled(state)) return null;
  return (
    <section>
      <div className="section-head">
        <h2>{t.strategy}</h2>
        {strategy && mine && state !== "DELETING" && (
          <Link to={`/documents/${id}/pieces`}>
            <Button size="small" icon={<BlockOutlined aria-hidden />} tabIndex={-1}>
              {t.look}
            </Button>
          </Link>
        )}
      </div>
      {strategy ? (
        <>
          <p className="strategy-name">{strategyWords(strategy, language)}</p>
          {recommended && recommended !== strategy && (
            <p className="is-soft">{t.chosenInstead(strategyWords(recommended, language))}</p>
          )}
          {reasons.length > 0 && (
            <>
              <h3 className="reasons-heading">{t.why}</h3>
              <ul className="reasons">
                {reasons.map((reason) => (
                  <li key={reason}>{inWords(reason)}</li>
                ))}
              </ul>
            </>
          )}
        </>
      ) : (
        <p className="is-soft">{t.notChosenYet}</p>
      )}
    </section>
  );
}
