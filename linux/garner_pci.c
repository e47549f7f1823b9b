// SPDX-License-Identifier: GPL-2.0
/*
 * The PCI function: probe and removal, interrupts, power, resets by others.
 *
 * Called by the PCI core; hands the board to garner_ring and garner_rsa. The algorithm is
 * registered when the first board comes and stays until the module goes: what uses it goes on in
 * software while there is no board.
 */
#include <linux/dma-mapping.h>
#include <linux/module.h>

#include "garner.h"

/* INTERRUPT_STATUS has three lines, each with a vector. */
#define GARNER_VECTORS 3
#define GARNER_ERROR_VECTOR 2

struct workqueue_struct *garner_workqueue;
static struct dentry *garner_debugfs;

/* Whether the algorithm is registered: by the first board's probe. */
static DEFINE_MUTEX(garner_registering);
static bool garner_registered;

static irqreturn_t garner_interrupt(int irq, void *ring)
{
	garner_ring_interrupt(ring, false);
	return IRQ_HANDLED;
}

static irqreturn_t garner_error_interrupt(int irq, void *ring)
{
	garner_ring_interrupt(ring, true);
	return IRQ_HANDLED;
}

static int garner_request_interrupts(struct garner *garner)
{
	struct pci_dev *pdev = garner->ring.pdev;
	unsigned int i;
	int err;

	for (i = 0; i < GARNER_VECTORS; i++) {
		irq_handler_t handler =
			i == GARNER_ERROR_VECTOR ? garner_error_interrupt : garner_interrupt;

		err = pci_request_irq(pdev, i, handler, NULL, &garner->ring, "garner-%s-%u",
				      pci_name(pdev), i);
		if (err)
			break;
	}
	if (i < GARNER_VECTORS)
		while (i--)
			pci_free_irq(pdev, i, &garner->ring);
	return err;
}

static void garner_free_interrupts(struct garner *garner)
{
	unsigned int i;

	for (i = 0; i < GARNER_VECTORS; i++)
		pci_free_irq(garner->ring.pdev, i, &garner->ring);
}

static int garner_board_show(struct seq_file *file, void *unused)
{
	struct garner *garner = file->private;

	garner_ring_show(&garner->ring, file);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(garner_board);

static int garner_probe(struct pci_dev *pdev, const struct pci_device_id *id)
{
	struct garner *garner;
	int err;

	garner = devm_kzalloc(&pdev->dev, sizeof(*garner), GFP_KERNEL);
	if (!garner)
		return -ENOMEM;
	pci_set_drvdata(pdev, garner);
	err = pcim_enable_device(pdev);
	if (!err)
		err = pcim_iomap_regions(pdev, BIT(0), "garner");
	if (!err)
		err = dma_set_mask_and_coherent(&pdev->dev, DMA_BIT_MASK(64));
	if (err)
		return dev_err_probe(&pdev->dev, err, "its registers or its DMA cannot be used\n");
	pci_set_master(pdev);
	err = pci_alloc_irq_vectors(pdev, GARNER_VECTORS, GARNER_VECTORS, PCI_IRQ_MSIX);
	if (err < 0)
		return dev_err_probe(&pdev->dev, err, "no MSI-X vectors\n");
	err = garner_ring_init(&garner->ring, pdev, pcim_iomap_table(pdev)[0],
			       &garner_rsa_ring_user);
	if (err) {
		dev_err_probe(&pdev->dev, err, "not taken over\n");
		goto free_vectors;
	}
	err = garner_request_interrupts(garner);
	if (err)
		goto stop;
	garner->debugfs = debugfs_create_file(pci_name(pdev), 0444, garner_debugfs, garner,
					      &garner_board_fops);
	if (garner_rsa_attach(&garner->ring))
		pci_info(pdev, "another board serves already; this one waits for none\n");
	pci_info(pdev, "%u cores, %u key slots, up to %u bits\n", garner->ring.capability.cores,
		 garner->ring.capability.key_slots, garner->ring.capability.max_bits);

	mutex_lock(&garner_registering);
	if (!garner_registered) {
		err = garner_rsa_register();
		garner_registered = !err;
	}
	mutex_unlock(&garner_registering);
	if (!err)
		return 0;

	debugfs_remove(garner->debugfs);
	garner_rsa_detach(&garner->ring);
	garner_free_interrupts(garner);
stop:
	garner_ring_stop(&garner->ring);
	garner_ring_exit(&garner->ring);
free_vectors:
	pci_free_irq_vectors(pdev);
	return err;
}

static void garner_remove(struct pci_dev *pdev)
{
	struct garner *garner = pci_get_drvdata(pdev);

	debugfs_remove(garner->debugfs);
	/* First the jobs under way, whose requests end in software; then those that wait. */
	garner_ring_stop(&garner->ring);
	garner_rsa_detach(&garner->ring);
	garner_free_interrupts(garner);
	garner_ring_exit(&garner->ring);
	pci_free_irq_vectors(pdev);
	pci_clear_master(pdev);
}

static void garner_shutdown(struct pci_dev *pdev)
{
	struct garner *garner = pci_get_drvdata(pdev);

	garner_ring_stop(&garner->ring);
	pci_clear_master(pdev);
}

/* Before and after a reset that another asked for, as through sysfs. */
static void garner_reset_prepare(struct pci_dev *pdev)
{
	struct garner *garner = pci_get_drvdata(pdev);

	garner_ring_stop(&garner->ring);
}

static void garner_reset_done(struct pci_dev *pdev)
{
	struct garner *garner = pci_get_drvdata(pdev);

	garner_ring_restart(&garner->ring);
}

static int garner_suspend(struct device *device)
{
	struct garner *garner = dev_get_drvdata(device);

	garner_ring_stop(&garner->ring);
	return 0;
}

static int garner_resume(struct device *device)
{
	struct garner *garner = dev_get_drvdata(device);

	pci_set_master(garner->ring.pdev);
	return garner_ring_restart(&garner->ring);
}

static DEFINE_SIMPLE_DEV_PM_OPS(garner_pm, garner_suspend, garner_resume);

static const struct pci_error_handlers garner_error_handlers = {
	.reset_prepare = garner_reset_prepare,
	.reset_done = garner_reset_done,
};

/* No identity is assigned to the design; this vendor number is QEMU's own, for experiments. */
static const struct pci_device_id garner_ids[] = { { PCI_DEVICE(0x1234, 0x4e47) }, {} };
MODULE_DEVICE_TABLE(pci, garner_ids);

static struct pci_driver garner_driver = {
	.name = "garner",
	.id_table = garner_ids,
	.probe = garner_probe,
	.remove = garner_remove,
	.shutdown = garner_shutdown,
	.err_handler = &garner_error_handlers,
	.driver.pm = pm_sleep_ptr(&garner_pm),
};

static int __init garner_init(void)
{
	int err;

	garner_workqueue = alloc_workqueue("garner", WQ_UNBOUND | WQ_MEM_RECLAIM, 0);
	if (!garner_workqueue)
		return -ENOMEM;
	garner_debugfs = debugfs_create_dir("garner", NULL);
	garner_rsa_prepare(garner_debugfs);
	err = pci_register_driver(&garner_driver);
	if (err) {
		debugfs_remove(garner_debugfs);
		destroy_workqueue(garner_workqueue);
	}
	return err;
}

static void __exit garner_exit(void)
{
	pci_unregister_driver(&garner_driver);
	if (garner_registered)
		garner_rsa_unregister();
	debugfs_remove(garner_debugfs);
	destroy_workqueue(garner_workqueue);
}

module_init(garner_init);
module_exit(garner_exit);

MODULE_DESCRIPTION("Garner RSA accelerator");
MODULE_LICENSE("GPL");
MODULE_VERSION("0.1.0");
