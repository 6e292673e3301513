import { App, Form, Input, Modal } from "antd";
import { useState } from "react";
import { newId } from "@/api/new-id";
import { useStrings } from "@/shared/language";
import { ProblemNotice } from "@/shared/ProblemNotice";
import { sharedStrings } from "@/shared/strings";
import { type DetailsAnswers, DetailsFields, detailsOf, NO_ANSWERS } from "../DetailsFields";
import { said } from "../details";
import { useImport } from "../queries";
import { documentStrings } from "../strings";
import { addressOf } from "./address";
import { importStrings } from "./strings";

interface Answers extends DetailsAnswers {
  address: string;
}

/** Asks for an address and what may be said of the document behind it. */
export default function ImportDialog({ onClose }: { onClose: () => void }) {
  const t = useStrings(importStrings);
  const words = useStrings(documentStrings);
  const shared = useStrings(sharedStrings);
  const { message } = App.useApp();
  const [form] = Form.useForm<Answers>();
  const importing = useImport();
  // A second press after a lost answer must not fetch it twice; another address is another import.
  const [key, setKey] = useState(newId);

  function begin(answers: Answers): void {
    const url = addressOf(answers.address);
    if (url === null) return;
    importing.mutate(
      { key, body: { url, ...said(detailsOf(answers)) } },
      {
        onSuccess: () => {
          message.success(t.begun);
          onClose();
        },
      },
    );
  }

  return (
    <Modal
      open
      title={t.title}
      okText={t.ok}
      cancelText={shared.cancel}
      className="tall-dialog"
      closable={{ "aria-label": shared.close }}
      confirmLoading={importing.isPending}
      onOk={() => form.submit()}
      onCancel={onClose}
    >
      {importing.isError && <ProblemNotice error={importing.error} />}
      <Form<Answers>
        form={form}
        layout="vertical"
        requiredMark={false}
        initialValues={{ address: "", ...NO_ANSWERS }}
        onValuesChange={() => setKey(newId())}
        onFinish={begin}
      >
        <Form.Item
          name="address"
          label={t.address}
          extra={t.addressHint}
          validateTrigger="onSubmit"
          rules={[
            {
              validator: (_, typed: string) =>
                addressOf(typed) ? Promise.resolve() : Promise.reject(new Error(t.addressWrong)),
            },
          ]}
        >
          <Input inputMode="url" autoComplete="off" placeholder="https://" maxLength={4000} />
        </Form.Item>
        <p className="dialog-heading">{words.importDetails}</p>
        <DetailsFields />
        <input type="submit" hidden />
      </Form>
    </Modal>
  );
}
