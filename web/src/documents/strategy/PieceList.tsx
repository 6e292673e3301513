import { useStrings } from "@/shared/language";
import { useFormats } from "@/shared/time";
import { type Passage, type Piece, parted, passagesOf } from "./pieces";
import { strategyStrings } from "./strings";

/** Pieces under the passages that answers read; what a piece repeats is grey. */
export function PieceList({ pieces }: { pieces: readonly Piece[] }) {
  const t = useStrings(strategyStrings);
  return (
    <>
      {pieces.some((piece) => piece.repeated_characters > 0) && <p className="is-soft small-print">{t.legend}</p>}
      <ol className="passages">
        {passagesOf(pieces).map((passage) => (
          <PassageItem key={passage.position} passage={passage} />
        ))}
      </ol>
    </>
  );
}

function PassageItem({ passage: { heading, page, pieces, position } }: { passage: Passage }) {
  const t = useStrings(strategyStrings);
  return (
    <li className="passage">
      <div className="passage-head">
        <h3 dir="auto">{heading.length > 0 ? heading.join(" › ") : t.noHeading}</h3>
        <span className="is-soft">
          {t.passage(position + 1)}
          {page !== null && ` · ${t.page(page)}`}
        </span>
      </div>
      <ol>
        {pieces.map((piece) => (
          <PieceItem key={piece.position} piece={piece} />
        ))}
      </ol>
    </li>
  );
}

function PieceItem({ piece }: { piece: Piece }) {
  const t = useStrings(strategyStrings);
  const formats = useFormats();
  const { repeated, own, length } = parted(piece);
  return (
    <li className="piece">
      <p className="piece-text" dir="auto">
        {repeated && (
          <span className="is-repeated">
            <span className="visually-hidden">{t.repeats}</span>
            {repeated}
          </span>
        )}
        {own}
      </p>
      <span className="is-soft small-print">
        {formats.number(piece.position + 1)} · {t.characters(formats.number(length))}
      </span>
    </li>
  );
}
